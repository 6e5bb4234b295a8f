import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createAppender } from '../../src/eventstoredb/appender.ts'
import { createAttempt } from '../../src/eventstoredb/attempts.ts'
import { createBatchStream } from '../../src/eventstoredb/batch-stream.ts'
import { createConnection } from '../../src/eventstoredb/connection.ts'
import { encodeAppend } from '../../src/eventstoredb/encode-append.ts'
import { empty, streams, uuid } from '../../src/eventstoredb/protobuf.ts'
import { anEvent, aStream } from './fixture.testing.ts'

const PATH = '/event_store.client.streams.Streams/BatchAppend'

const open = async (connectionString: string) => {
  const connection = createConnection(connectionString)
  onTestFinished(() => connection.close())
  const stub = await connection.streams()
  const start = async () => {
    const call = await connection.appends(stub)
    const stream = createBatchStream(call, { onUnmatched: () => undefined, onEnd: () => undefined })
    onTestFinished(() => stream.close())
    return { call, stream }
  }
  return { connection, stub, start }
}

const frame = (message: Uint8Array): Buffer => {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

const strayAnswer = (): Buffer => {
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(uuid(crypto.randomUUID()))
  const success = new streams.BatchAppendResp.Success()
  success.setCurrentRevision('0')
  success.setNoPosition(new empty.Empty())
  answer.setSuccess(success)
  return frame(answer.serializeBinary())
}

/** A server whose append calls are answered by `answer`, by their number. */
const aServer = async (answer: (stream: http2.ServerHttp2Stream, call: number) => void): Promise<string> => {
  let calls = 0
  const server = http2.createServer()
  const sessions = new Set<http2.ServerHttp2Session>()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    if (headers[':path'] === PATH) answer(stream, ++calls)
    else stream.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  return `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`
}

test('what a server does not take does not pile up in this process', async () => {
  const url = await aServer((stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
    // The server never reads; it answers appends that had been given up.
    const timer = setInterval(() => !stream.destroyed && stream.write(strayAnswer()), 20)
    stream.on('close', () => clearInterval(timer))
  })
  const { connection, stub, start } = await open(url)
  let now = await start()
  const opened = async () => {
    if (!now.stream.isOpen()) now = await start()
    return { stub, stream: now.stream }
  }
  const attempt = createAttempt(connection, { opened, close: () => undefined })
  const appender = createAppender({ attempt, times: { attemptMs: 150, deadlineMs: 5_000 } })
  let most = 0
  const meter = setInterval(() => {
    most = Math.max(most, now.call.waiting())
  }, 10)
  const events = [anEvent('A', 'x'.repeat(4_000))]
  const appends = Array.from({ length: 64 }, () =>
    appender.append({ stream: aStream(), expected: 'no_stream', events }).catch(() => undefined),
  )
  // This is as long as some attempts of all of them take.
  await pause(3_000)
  clearInterval(meter)
  appender.close()
  now.stream.close()
  await Promise.all(appends)
  expect(most).toBeLessThan(2 * 256 * 1024)
})

const GRPC = { ':status': 200, 'content-type': 'application/grpc' }

test.each<[string, (stream: http2.ServerHttp2Stream, call: number) => void]>([
  ['refuses the stream', (stream, call) => call === 1 && stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)],
  ['cancels it', (stream) => stream.close(http2.constants.NGHTTP2_CANCEL)],
  [
    'ends it without trailers',
    (stream) => {
      stream.respond(GRPC)
      stream.end()
    },
  ],
  ['answers trailers only', (stream) => stream.respond({ ...GRPC, 'grpc-status': '0' }, { endStream: true })],
  [
    'resets without an error',
    (stream) => {
      stream.respond(GRPC)
      stream.close(0)
    },
  ],
  ['goes away in error', (stream) => stream.session?.goaway(2)],
  ['breaks the connection', (stream) => stream.session?.destroy()],
  [
    'sends no message',
    (stream) => {
      stream.respond(GRPC)
      stream.write(frame(Buffer.alloc(11, 0xff)))
    },
  ],
  [
    'sends a group',
    (stream) => {
      stream.respond(GRPC)
      stream.write(frame(Buffer.from([0x0b, 0x0c])))
    },
  ],
  [
    'sends a frame of 4 GiB',
    (stream) => {
      stream.respond(GRPC)
      stream.write(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]))
    },
  ],
  [
    'sends a compressed message',
    (stream) => {
      stream.respond(GRPC)
      stream.write(Buffer.from([1, 0, 0, 0, 1, 0]))
    },
  ],
])('a server that %s fails an append at once, and later ones', async (_, answer) => {
  const { start } = await open(await aServer(answer))
  const { stream } = await start()
  const sent = encodeAppend(aStream(), 'no_stream', [anEvent()])
  expect((await stream.send(sent, 60_000)).kind).toBe('failed')
  expect((await stream.send(sent, 60_000)).kind).toBe('failed')
})
