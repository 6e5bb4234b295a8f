import { once } from 'node:events'
import { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { newAuthority } from '@tidings/testing/certificates'
import { startSmtpSink } from '@tidings/testing/smtp-sink'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { afterEach, describe, expect, test } from 'vitest'
import { connectionOptions, openConnection, relayAddress } from '../../src/smtp/session.ts'
import { type Script, scriptedServer } from './scripted-server.ts'

/** No server of this file is so slow. */
const CALL_MS = 60_000

let close: (() => unknown)[] = []
afterEach(async () => {
  for (const end of close.toReversed()) await end()
  close = []
})

const settingsFor = (url: string) => {
  const relay = relayAddress(url)
  return { options: connectionOptions(relay, CALL_MS), credentials: relay.credentials, callMs: CALL_MS }
}
const opened = async (url: string) => {
  const connection = await openConnection(settingsFor(url))
  close.push(connection.close)
  return connection
}
const scripted = async (script: Script) => {
  const server = await scriptedServer(script)
  close.push(server.stop)
  return server
}

/** What `openConnection` builds on and nodemailer does not promise: a release that changes it must fail here, not in production. */
describe('of nodemailer’s connection', () => {
  const connected = async (url: string): Promise<SMTPConnection & Readonly<Record<string, unknown>>> => {
    const connection = new SMTPConnection(settingsFor(url).options)
    close.push(() => connection.close())
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject)
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    return connection as never
  }

  test('the private fields hold the socket and what the server announced', async () => {
    const server = await scripted({ extensions: ['PIPELINING', 'SMTPUTF8', '8BITMIME', 'SIZE 2000'] })
    const { _socket, _supportedExtensions, _maxAllowedSize, secure } = await connected(server.url)
    expect(_socket).toBeInstanceOf(Socket)
    expect(_supportedExtensions).toEqual(expect.arrayContaining(['PIPELINING', 'SMTPUTF8', 'SIZE']))
    expect(_maxAllowedSize).toBe(2_000)
    expect(secure).toBe(false)
  })

  test('they are empty where the server announced nothing', async () => {
    const { _supportedExtensions, _maxAllowedSize } = await connected((await scripted({})).url)
    expect([_supportedExtensions, _maxAllowedSize]).toEqual([[], 0])
  })

  test('replies are read by one data listener of the socket, and by nothing else', async () => {
    const { _socket } = await connected((await scripted({})).url)
    const socket = _socket as Socket
    expect([socket.listenerCount('data'), socket.listenerCount('readable')]).toEqual([1, 0])
  })
})

describe('an opened connection', () => {
  test('says what the server announced', async () => {
    const { url } = await scripted({ extensions: ['PIPELINING', 'SMTPUTF8', 'SIZE 2000'] })
    expect((await opened(url)).extensions).toEqual({ pipelining: true, smtpUtf8: true, size: true, maxSize: 2_000 })
    const bare = await scripted({})
    expect((await opened(bare.url)).extensions).toEqual({ pipelining: false, smtpUtf8: false, size: false, maxSize: 0 })
  })

  test('after STARTTLS gives the encrypted socket, and what was announced on that', async () => {
    const sink = await startSmtpSink({ ...newAuthority('Test authority').issue('relay.test'), authOptional: true, disabledCommands: [] })
    close.push(sink.stop)
    const { socket, extensions } = await opened(`${sink.url}?verify=off`)
    expect(socket).toBeInstanceOf(TLSSocket)
    expect(extensions).toMatchObject({ pipelining: true, smtpUtf8: true })
  })

  test('gives every byte from then on to its listener alone, and nodemailer answers none of it', async () => {
    const server = await scripted({ answer: (line) => (line === 'NOOP' ? '250 one\r\n421 two' : undefined) })
    const { socket, onData } = await opened(server.url)
    let received = ''
    onData((chunk) => {
      received += chunk.toString()
    })
    expect(socket.listenerCount('data')).toBe(1)
    socket.write('NOOP\r\n')
    await expect.poll(() => received).toBe('250 one\r\n421 two\r\n')
    expect([socket.writable, server.lines]).toEqual([true, ['NOOP']])
  })

  test('has no timeout of its own', async () => {
    const { socket } = await opened((await scripted({})).url)
    expect(socket.timeout).toBe(0)
  })

  test('says when the server ends it, and closes its socket when it is closed', async () => {
    const server = await scripted({ answer: () => null })
    const connection = await opened(server.url)
    connection.onData(() => undefined)
    const ended = new Promise<void>((resolve) => connection.onEnd(resolve))
    connection.socket.write('NOOP\r\n')
    await ended
    const other = await opened((await scripted({})).url)
    const closed = once(other.socket, 'close')
    other.close()
    await closed
  })
})
