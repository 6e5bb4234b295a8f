import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { newAuthority } from '@tidings/testing/certificates'
import { eventually } from './eventually.ts'

/** A message as a sender posts it: encrypted for one browser (RFC 8291). */
type TakenMessage = Readonly<{ headers: IncomingHttpHeaders; body: Buffer }>

/**
 * What Google runs for the web push of Chromium, as far as one browser needs it: check-in, registration, and the connection over which
 * messages come (the protocol buffers of `google_apis/gcm/protocol` in Chromium's source). The browser makes real subscriptions with it,
 * and decrypts what arrives itself.
 */
export type PushVendor = Readonly<{
  /** The address to which senders post messages (RFC 8030) for the browser that has this endpoint. A browser knows its vendor by the real host's name alone. */
  addressOf: (endpoint: string) => string
  /** Whether the browser has not ended the subscription. */
  isLive: (endpoint: string) => boolean
  /** Messages that were posted and accepted, oldest first. */
  taken: readonly TakenMessage[]
  /** Arguments with which Chromium uses this vendor and no other. */
  chromiumArguments: readonly string[]
  close: () => Promise<void>
}>

const varint = (value: number): Buffer =>
  value < 0x80 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value & 0x7f) | 0x80]), varint(value >> 7)])
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

const lastPart = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

/** The origin of a registration, and its application server's key. */
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
  const taken: TakenMessage[] = []

  const register = (asked: URLSearchParams): string => {
    if (asked.get('delete') === 'true') {
      for (const [token, { subtype }] of registrations) if (subtype === asked.get('X-subtype')) registrations.delete(token)
      return `deleted=${asked.get('app')}`
    }
    const token = `${randomBytes(8).toString('base64url')}:${randomBytes(16).toString('base64url')}`
    registrations.set(token, { subtype: asked.get('X-subtype') ?? '', sender: asked.get('sender') ?? '' })
    return `token=${token}`
  }
  /** Takes an encrypted message, and brings it to the browser. */
  const take = async (token: string, message: TakenMessage): Promise<number> => {
    const registration = registrations.get(token)
    if (registration === undefined) return 404
    const { headers, body } = message
    if (headers['content-encoding'] !== 'aes128gcm' || headers.ttl === undefined || !headers.authorization?.startsWith('vapid ')) return 400
    taken.push(message)
    await eventually(
      async () => connections.size,
      (size) => size > 0,
    )
    const [connection] = [...connections].slice(-1)
    connection?.write(frame(DATA_MESSAGE, dataMessage(registration, body)))
    return 201
  }
  const http = createServer(async (request, response) => {
    const body = await buffer(request)
    if (request.url === '/checkin') return response.end(CHECKIN)
    if (request.url === '/register') return response.end(register(new URLSearchParams(body.toString())))
    return response.writeHead(await take(lastPart(request.url ?? ''), { headers: request.headers, body })).end()
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
    addressOf: (endpoint) => `http://127.0.0.1:${httpPort}/send/${lastPart(endpoint)}`,
    isLive: (endpoint) => registrations.has(lastPart(endpoint)),
    taken,
    close: async () => {
      for (const connection of connections) connection.destroy()
      http.closeAllConnections()
      await Promise.all([http, messages].map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}
