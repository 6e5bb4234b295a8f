import { once } from 'node:events'
import http2 from 'node:http2'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failureOutcome } from '../../src/eventstoredb/call-failure.ts'
import { createConnection } from '../../src/eventstoredb/connection.ts'
import { aFixture } from './fixture.testing.ts'

/** What ends a process, while a test runs. */
const uncaught = (): readonly unknown[] => {
  const others = process.listeners('uncaughtException')
  const errors: unknown[] = []
  const collect = (error: unknown): void => void errors.push(error)
  process.removeAllListeners('uncaughtException').on('uncaughtException', collect)
  onTestFinished(() => {
    process.off('uncaughtException', collect)
    for (const other of others) process.on('uncaughtException', other)
  })
  return errors
}

const openCall = async (connectionString: string) => {
  const connection = createConnection(connectionString)
  onTestFinished(() => connection.close())
  const stub = await connection.streams()
  const call = await connection.appends(stub)
  onTestFinished(() => call.cancel())
  const onEnd = vi.fn<(error: Error) => void>()
  call.listen({ onAnswer: () => undefined, onEnd })
  return { connection, stub, call, onEnd }
}

const listening = async (server: Server | http2.Http2Server): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`
}

const frame = (type: number, stream: number, payload: readonly number[], flags = 0): Buffer =>
  Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, stream, ...payload])

const [SETTINGS, GO_AWAY, CANCEL_CALL] = [frame(4, 0, []), frame(7, 0, [0, 0, 0, 1, 0, 0, 0, 0]), frame(3, 1, [0, 0, 0, 8])]
/** `:status` 200 and `grpc-status` 8 (RFC 7541, 6), at the end of the headers and of the call, which is reset then without an error. */
const REFUSAL = Buffer.concat([frame(1, 1, [0x88, 0, 11, ...Buffer.from('grpc-status'), 1, 0x38], 5), frame(3, 1, [0, 0, 0, 0])])
const WINDOW_UPDATE = frame(8, 0, [0, 0, 0, 1])

/** Speaks just so much HTTP/2, answers no ping, and never closes its end of a connection by itself. It says `frames` once it has so many bytes. */
const aBareServer = async (frames: readonly Buffer[], bytes = 1) => {
  const sockets: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(SETTINGS)
      // Only what is written to a connection that the other end gave up shows that it did.
      const timer = setInterval(() => socket.write(WINDOW_UPDATE), 10)
      socket.once('close', () => clearInterval(timer))
    })
    let received = 0
    socket.on('data', ({ length }) => {
      if (received < bytes && received + length >= bytes) socket.write(Buffer.concat(frames))
      received += length
    })
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return { url: await listening(server), sockets }
}

test('a silent server whose pings are as far apart as their time for an answer ends nothing but the call', async () => {
  const [fixture, errors] = [await aFixture(), uncaught()]
  const { onEnd } = await openCall(`${fixture.connectionString}&keepAliveInterval=50&keepAliveTimeout=50`)
  fixture.hold()
  await expect.poll(() => onEnd.mock.calls).toEqual([[expect.objectContaining({ code: 14, details: 'the append stream was lost' })]])
  await pause(200)
  expect(errors).toEqual([])
})

test('a server that goes away, ends the call and keeps the connection loses the connection, and ends nothing else', async () => {
  const errors = uncaught()
  const { url, sockets } = await aBareServer([GO_AWAY, CANCEL_CALL])
  const { onEnd } = await openCall(`${url}&keepAliveInterval=50&keepAliveTimeout=5000`)
  await expect.poll(() => onEnd.mock.calls).toHaveLength(1)
  await pause(200)
  expect(errors).toEqual([])
  await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true)
})

test('a server that goes away and then says nothing more is given up', async () => {
  const { url, sockets } = await aBareServer([GO_AWAY])
  const { onEnd } = await openCall(`${url}&keepAliveInterval=50&keepAliveTimeout=50`)
  await expect.poll(() => onEnd.mock.calls).toHaveLength(1)
  await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true)
})

test('without pings a silent server is left to the times of the appends', async () => {
  const fixture = await aFixture()
  const { onEnd } = await openCall(`${fixture.connectionString}&keepAliveInterval=0&keepAliveTimeout=20`)
  fixture.hold()
  await pause(200)
  expect(onEnd).not.toHaveBeenCalled()
})

type Answer = (stream: http2.ServerHttp2Stream) => void
const GRPC = { ':status': 200, 'content-type': 'application/grpc' }

const anHttp2Server = async (answer: Answer) => {
  const sessions = new Set<http2.ServerHttp2Session>()
  const server = http2.createServer()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => undefined)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream) => {
    stream.on('error', () => undefined)
    answer(stream)
  })
  const url = await listening(server)
  onTestFinished(() => {
    for (const session of sessions) session.destroy()
  })
  return { url }
}

const ended =
  (trailers: Readonly<Record<string, string>>): Answer =>
  (stream) => {
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    stream.respond(GRPC, { waitForTrailers: true })
    stream.end()
  }

test('a server that ends the call while bytes have not left loses the connection', async () => {
  // It opens no window: of a mebibyte 65 535 bytes leave.
  const { url, sockets } = await aBareServer([REFUSAL], 65_000)
  const { call, onEnd } = await openCall(url)
  call.write(Buffer.alloc(1024 * 1024))
  await expect.poll(() => onEnd.mock.calls).toEqual([[expect.objectContaining({ code: 8 })]])
  await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true)
})

test('a header that gRPC does not permit hides nothing of what the server said', async () => {
  const errors = uncaught()
  const said = { 'x-note': 'caf\u00e9', 'x!y': '1', 'grpc-status': '7', 'grpc-message': 'no', exception: 'access-denied' }
  const { url } = await anHttp2Server(ended(said))
  const { onEnd } = await openCall(url)
  await expect.poll(() => onEnd.mock.calls).toEqual([[expect.objectContaining({ code: 7, details: 'no' })]])
  expect(failureOutcome(onEnd.mock.calls[0]![0])).toMatchObject({ kind: 'denied' })
  expect(errors).toEqual([])
})

test.each([
  [401, 16],
  [403, 7],
  [404, 12],
  [503, 14],
])('HTTP status %i with a page for people is what its status says', async (status, code) => {
  const { url } = await anHttp2Server((stream) => {
    stream.respond({ ':status': status, 'content-type': 'text/html' })
    stream.end('<html><body>Something is in between.</body></html>')
  })
  const { onEnd } = await openCall(url)
  const details = `EventStoreDB answered with HTTP status ${status}`
  await expect.poll(() => onEnd.mock.calls).toEqual([[expect.objectContaining({ code, details })]])
})

test.each([
  {},
  { 'leader-endpoint-host': 'a.example' },
  { 'leader-endpoint-host': 'a.example', 'leader-endpoint-port': 'none' },
  { 'leader-endpoint-host': 'a/b', 'leader-endpoint-port': '2113' },
  { 'leader-endpoint-host': 'a.example', 'leader-endpoint-port': '70000' },
])('a node that does not lead and names no leader is left for another: %o', async (leader: Readonly<Record<string, string>>) => {
  const { url } = await anHttp2Server(ended({ 'grpc-status': '5', exception: 'not-leader', ...leader }))
  const { connection, stub, onEnd } = await openCall(url)
  await expect.poll(() => onEnd.mock.calls).toHaveLength(1)
  connection.failed(stub, onEnd.mock.calls[0]![0])
  expect(connection.isCurrent(stub)).toBe(false)
  expect(await connection.appends(await connection.streams())).toHaveProperty('write')
})
