import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { Metadata, status } from '@grpc/grpc-js'
import { type AppendAnswer, decodeAnswer } from './decode-answer.ts'
import { FLOW_WINDOW, MAX_MESSAGE, type ServerAccess } from './server-access.ts'

const BATCH_APPEND = '/event_store.client.streams.Streams/BatchAppend'

/** A message on the wire has in front of it whether it is compressed, and its length. */
const PREFIX_SIZE = 5

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
  cancel: () => void
}>

type Access = Pick<ServerAccess, 'tls' | 'headers' | 'keepAlive'>

/** `node` is host and port. The promise rejects if the node does not take the connection. */
export async function openAppendCall(node: string, { tls, headers, keepAlive }: Access): Promise<AppendCall> {
  const settings = { initialWindowSize: FLOW_WINDOW, enablePush: false }
  const session = connect(`${tls === null ? 'http' : 'https'}://${node}`, { settings, ...tls })
  await connected(session)
  session.setLocalWindowSize(FLOW_WINDOW)
  keepAlivePings(session, keepAlive)
  const stream = session.request({
    ...{ ':method': 'POST', ':path': BATCH_APPEND, 'content-type': 'application/grpc', te: 'trailers' },
    ...headers,
  })
  stream.once('close', () => session.destroy())
  return { ...writerTo(stream), listen: (listeners) => listenTo(stream, listeners), cancel: () => stream.close(constants.NGHTTP2_CANCEL) }
}

const CONNECT_MS = 5_000

/** Errors of the session have a listener from here on; the stream that they end reports them, too. */
const connected = (session: ClientHttp2Session): Promise<void> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => session.destroy(new Error('no connection within 5 s')), CONNECT_MS)
    session.on('error', (error: Error) => reject(failure(status.UNAVAILABLE, error.message)))
    session.once('close', () => {
      clearTimeout(late)
      reject(failure(status.UNAVAILABLE, 'the connection was closed'))
    })
    session.once('connect', () => {
      clearTimeout(late)
      resolve()
    })
  })

/** A connection whose other end is gone without a word is destroyed, and its stream closes with it. */
const keepAlivePings = (session: ClientHttp2Session, { intervalMs, timeoutMs }: ServerAccess['keepAlive']): void => {
  const timer = setInterval(() => {
    const late = setTimeout(() => session.destroy(), timeoutMs).unref()
    if (!session.ping(() => clearTimeout(late))) clearTimeout(late)
  }, intervalMs).unref()
  session.once('close', () => clearInterval(timer))
}

const writerTo = (stream: ClientHttp2Stream): Pick<AppendCall, 'write' | 'leftAt' | 'waiting'> => {
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

const prefixOf = (message: Buffer): Buffer => {
  const prefix = Buffer.alloc(PREFIX_SIZE)
  prefix.writeUInt32BE(message.length, 1)
  return prefix
}

type Listeners = Parameters<AppendCall['listen']>[0]

const listenTo = (stream: ClientHttp2Stream, { onAnswer, onEnd }: Listeners): void => {
  let said: Error | undefined
  let isOver = false
  const over = (error: Error): void => {
    if (isOver) return
    isOver = true
    onEnd(error)
    stream.close(constants.NGHTTP2_CANCEL)
  }
  const messages = messageReader((message) => {
    if (!isOver) onAnswer(decodeAnswer(message))
  })
  const hear = (headers: IncomingHttpHeaders): void => {
    said ??= failureIn(headers)
  }
  stream.on('response', hear)
  stream.on('trailers', hear)
  stream.on('data', (bytes: Buffer) => {
    try {
      messages(bytes)
    } catch (error) {
      over(failure(status.INTERNAL, error instanceof Error ? error.message : String(error)))
    }
  })
  stream.on('error', (error) => {
    said ??= failure(status.UNAVAILABLE, error.message)
  })
  // A connection that is lost ends its stream, too; trailers that come with an end arrive behind it.
  for (const event of ['end', 'close']) stream.on(event, () => setImmediate(() => over(said ?? lost())))
}

const lost = (): Error => failure(status.UNAVAILABLE, 'the append stream was lost')

/** Takes bytes as they come, and gives each whole message. */
const messageReader = (onMessage: (message: Buffer) => void): ((bytes: Buffer) => void) => {
  let pieces: Buffer[] = []
  let size = 0
  let wanted = PREFIX_SIZE
  return (bytes) => {
    pieces.push(bytes)
    size += bytes.length
    if (size < wanted) return
    const all = pieces.length === 1 ? bytes : Buffer.concat(pieces)
    let at = 0
    for (;;) {
      wanted = all.length - at < PREFIX_SIZE ? PREFIX_SIZE : PREFIX_SIZE + lengthAt(all, at)
      if (all.length - at < wanted) break
      onMessage(all.subarray(at + PREFIX_SIZE, at + wanted))
      at += wanted
    }
    pieces = at === all.length ? [] : [all.subarray(at)]
    size = all.length - at
  }
}

const lengthAt = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt32BE(at + 1)
  if (bytes[at] !== 0) throw new RangeError('EventStoreDB sent a compressed message')
  if (length > MAX_MESSAGE) throw new RangeError(`EventStoreDB sent a message of ${length} bytes`)
  return length
}

/** Reads how a call ended (gRPC over HTTP/2, Responses); undefined if the headers do not end it. */
const failureIn = (headers: IncomingHttpHeaders): Error | undefined => {
  const http = Number(headers[':status'] ?? 200)
  const code = headers['grpc-status']
  if (code === undefined) return http === 200 ? undefined : failure(codeOfHttp(http), `EventStoreDB answered with HTTP status ${http}`)
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && !name.startsWith(':') && !name.endsWith('-bin')) metadata.set(name, value)
  const message = String(headers['grpc-message'] ?? '')
  return Number(code) === status.OK
    ? failure(status.UNKNOWN, 'EventStoreDB ended the append stream')
    : failure(Number(code), decodedMessage(message), metadata)
}

const codeOfHttp = (http: number): status => {
  if (http === 401) return status.UNAUTHENTICATED
  if (http === 403) return status.PERMISSION_DENIED
  if (http === 404) return status.UNIMPLEMENTED
  return http === 429 || http >= 502 ? status.UNAVAILABLE : status.UNKNOWN
}

const decodedMessage = (message: string): string => {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}

const failure = (code: status, details: string, metadata: Metadata = new Metadata()): Error =>
  Object.assign(new Error(`${code} ${status[code]}: ${details}`), { code, details, metadata })
