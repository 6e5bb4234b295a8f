import type { ClientHttp2Stream } from 'node:http2'
import { status } from '@grpc/grpc-js'
import { type AppendSession, openAppendSession } from './append-session.ts'
import { type AppendAnswer, decodeAnswer } from './decode-answer.ts'
import { decodeRead, type Recorded } from './decode-read.ts'
import { ending, hearCall, prefixOf } from './grpc-wire.ts'
import type { streams } from './protobuf.ts'
import type { ServerAccess } from './server-access.ts'

const SERVICE = '/event_store.client.streams.Streams'

/**
 * A BatchAppend call over an HTTP/2 connection of its own. @grpc/grpc-js writes a message of a call, and the next one when that has left the
 * process: two in a turn of the event loop at most. Here those of a turn leave together, by the public HTTP/2 of Node.
 *
 * `leftAt` is when those messages were given to the connection that have left this process since; all that were written before then are among
 * them. `waiting` counts the bytes that have not left.
 */
export type AppendCall = Readonly<{
  write: (message: Buffer) => void
  leftAt: () => number
  waiting: () => number
  /** Is called once, in the turn in which the call was opened. `onEnd` is called once, and the call is over with it. */
  listen: (listeners: Readonly<{ onAnswer: (answer: AppendAnswer) => void; onEnd: (error: Error) => void }>) => void
  /** Reads from the server that this call's appends go to: over the same connection. */
  read: (request: streams.ReadReq, signal: AbortSignal) => Promise<Recorded[]>
  cancel: () => void
}>

type Access = Pick<ServerAccess, 'tls' | 'headers' | 'keepAlive'>

/** `node` is host and port. The promise rejects if the node does not take the connection. */
export async function openAppendCall(node: string, access: Access): Promise<AppendCall> {
  const connection = await openAppendSession(node, access)
  const { session, end } = connection
  const start = (method: string, signal?: AbortSignal): ClientHttp2Stream =>
    session.request(
      {
        ...{ ':method': 'POST', ':path': `${SERVICE}/${method}`, 'content-type': 'application/grpc', te: 'trailers' },
        ...access.headers,
      },
      signal && { signal },
    )
  const stream = start('BatchAppend')
  stream.once('close', end)
  // `listen` hears what an error says; without a listener it would end the process.
  stream.on('error', () => undefined)
  return {
    ...writerTo(stream),
    listen: (listeners) => listenTo(stream, end, listeners),
    read: (request, signal) => readOver((aborted) => start('Read', aborted), request, signal),
    cancel: end,
  }
}

const writerTo = (
  stream: ClientHttp2Stream,
): Readonly<{ write: (message: Buffer) => void; leftAt: () => number; waiting: () => number }> => {
  let messages: Buffer[] = []
  let leftAt = 0
  const flush = (): void => {
    const at = performance.now()
    const bytes = Buffer.concat(messages)
    messages = []
    if (stream.writable)
      stream.write(bytes, () => {
        leftAt = at
      })
  }
  return {
    write: (message) => {
      messages.push(prefixOf(message), message)
      if (messages.length === 2) setImmediate(flush)
    },
    leftAt: () => leftAt,
    waiting: () => stream.writableLength,
  }
}

type Listeners = Parameters<AppendCall['listen']>[0]

/** A stream that its server ended while bytes of it had not left never closes by itself: the connection ends with the call. */
const listenTo = (stream: ClientHttp2Stream, end: AppendSession['end'], { onAnswer, onEnd }: Listeners): void =>
  hearCall(stream, {
    onMessage: (message) => onAnswer(decodeAnswer(message)),
    onEnd: (said = ending(status.UNAVAILABLE, 'the append stream was lost')) => {
      onEnd(said.code === status.OK ? ending(status.UNKNOWN, 'EventStoreDB ended the append stream') : said)
      end()
    },
  })

const readOver = (start: (signal: AbortSignal) => ClientHttp2Stream, request: streams.ReadReq, signal: AbortSignal): Promise<Recorded[]> =>
  new Promise((resolve, reject) => {
    const stream = start(signal)
    const recorded: Recorded[] = []
    hearCall(stream, {
      onMessage: (message) => {
        const answer = decodeRead(message)
        if (typeof answer !== 'string') recorded.push(answer)
      },
      onEnd: (said = ending(status.UNAVAILABLE, 'the connection was lost')) => {
        if (said.code === status.OK) resolve(recorded)
        else reject(said)
        stream.destroy()
      },
    })
    const message = request.serializeBinary()
    stream.end(Buffer.concat([prefixOf(message), message]))
  })
