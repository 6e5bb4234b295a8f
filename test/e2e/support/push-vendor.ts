import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { newAuthority } from '@tidings/testing/certificates'
import { eventually } from './eventually.ts'

/**
 * What Google runs for the web push of Chromium, as far as one browser needs it: check-in, registration, and the connection over which
 * messages come (the protocol buffers of `google_apis/gcm/protocol` in Chromium's source). The browser makes real subscriptions with it,
 * and decrypts what arrives itself.
 */
export type PushVendor = Readonly<{
  /** Arguments with which Chromium uses this vendor and no other. */
  chromiumArguments: readonly string[]
  /** Brings an encrypted message (RFC 8291, `aes128gcm`) to the browser of the endpoint. */
  deliver: (endpoint: string, body: Buffer) => Promise<void>
  close: () => Promise<void>
}>

const varint = (value: number): Buffer => (value < 0x80 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value & 0x7f) | 0x80]), varint(value >> 7)]))
const bytesField = (field: number, value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes])
}
const fixed64Field = (field: number, value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return Buffer.concat([varint((field << 3) | 1), bytes])
}

/** `AndroidCheckinResponse`: all is well, and who this browser is. */
const CHECKIN = Buffer.concat([Buffer.from([0x08, 1]), fixed64Field(7, 1_234_567_890_123n), fixed64Field(8, 9_876_543_210n)])
const MCS_VERSION = 41
const LOGIN_RESPONSE = 3
const DATA_MESSAGE = 8

const frame = (tag: number, message: Buffer): Buffer => Buffer.concat([Buffer.from([tag]), varint(message.length), message])
const appData = (key: string, value: string): Buffer => bytesField(7, Buffer.concat([bytesField(1, key), bytesField(2, value)]))

/** Of a registration: for which origin, and by which application server's key. */
type Registration = Readonly<{ subtype: string; sender: string }>

const dataMessage = ({ subtype, sender }: Registration, body: Buffer): Buffer =>
  Buffer.concat([
    bytesField(2, randomUUID()),
    bytesField(3, sender),
    bytesField(5, 'org.chromium.linux'),
    appData('subtype', subtype),
    appData('content-encoding', 'aes128gcm'),
    bytesField(9, randomUUID()),
    bytesField(21, body),
  ])

export async function startPushVendor(): Promise<PushVendor> {
  const registrations = new Map<string, Registration>()
  const connections = new Set<TLSSocket>()

  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.url === '/checkin') return response.end(CHECKIN)
    const asked = new URLSearchParams(Buffer.concat(chunks).toString())
    const token = `${randomBytes(8).toString('base64url')}:${randomBytes(16).toString('base64url')}`
    if (asked.get('delete') === 'true') return response.end(`deleted=${asked.get('app')}`)
    registrations.set(token, { subtype: asked.get('X-subtype') ?? '', sender: asked.get('sender') ?? '' })
    return response.end(`token=${token}`)
  })
  const messages = createTlsServer(newAuthority('A push vendor').issue('127.0.0.1'), (connection) => {
    connection.on('error', () => connection.destroy())
    connection.on('close', () => connections.delete(connection))
    connection.once('data', () => {
      connection.write(Buffer.concat([Buffer.from([MCS_VERSION]), frame(LOGIN_RESPONSE, bytesField(1, 'chromium'))]))
      connections.add(connection)
    })
  })
  await Promise.all([once(http.listen(0, '127.0.0.1'), 'listening'), once(messages.listen(0, '127.0.0.1'), 'listening')])
  const [httpPort, messagesPort] = [http, messages].map((server) => (server.address() as AddressInfo).port)
  return {
    chromiumArguments: [
      `--gcm-checkin-url=http://127.0.0.1:${httpPort}/checkin`,
      `--gcm-registration-url=http://127.0.0.1:${httpPort}/register`,
      `--gcm-mcs-endpoint=https://127.0.0.1:${messagesPort}`,
      // The authority of this vendor is in no store of certificates.
      '--ignore-certificate-errors',
    ],
    deliver: async (endpoint, body) => {
      const registration = registrations.get(endpoint.slice(endpoint.lastIndexOf('/') + 1))
      if (registration === undefined) throw new Error(`no browser is subscribed at ${endpoint}`)
      await eventually(async () => connections.size, (size) => size > 0)
      const [connection] = [...connections].slice(-1)
      connection?.write(frame(DATA_MESSAGE, dataMessage(registration, body)))
    },
    close: async () => {
      for (const connection of connections) connection.destroy()
      http.closeAllConnections()
      await Promise.all([http, messages].map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}
