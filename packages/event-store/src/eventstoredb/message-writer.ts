import type { Duplex } from 'node:stream'
import { http2StreamOf } from './client-internals.ts'

type Options = Readonly<{
  call: Readonly<{ write: (message: Buffer) => unknown }>
  isOpen: () => boolean
  /** Called a turn of the event loop after the HTTP/2 stream of the call has closed. */
  onLost: () => void
}>

/** Bytes before a message on the wire: the flag "not compressed", and the length. */
const PREFIX_SIZE = 5
const CONNECTING_MS = 2

/** `leftAt`: when those messages were given to the stream that have left this process since; all that were written before then are among them. */
export type MessageWriter = Readonly<{ write: (message: Buffer) => void; leftAt: () => number }>

/**
 * Writes messages to a call, those of one turn of the event loop together. What is written to a call that is over is dropped.
 *
 * @grpc/grpc-js writes a message, and the next one when that has left the process: two in a turn at most. With turns of 3 ms, 64 callers had 190 to 305
 * appends a second, and 1 460 to 1 700 with this. So messages go to the HTTP/2 stream below the call.
 */
export function createMessageWriter({ call, isOpen, onLost }: Options): MessageWriter {
  let stream: Duplex | 'not yet' | 'elsewhere' = 'not yet'
  let messages: Buffer[] = []
  let leftAt = 0
  const find = (): typeof stream => {
    const found = http2StreamOf(call)
    if (typeof found === 'string') return found
    if (found.destroyed) setImmediate(onLost)
    else found.once('close', () => setImmediate(onLost))
    return found
  }
  const flushOrLose = (): void => {
    try {
      flush()
    } catch {
      // Nothing waits for a turn of the event loop: what is thrown in one would end the process.
      onLost()
    }
  }
  const flush = (): void => {
    if (!isOpen()) return
    if (stream === 'not yet') stream = find()
    if (stream === 'not yet') return void setTimeout(flushOrLose, CONNECTING_MS)
    const at = performance.now()
    const left = (): void => {
      leftAt = at
    }
    if (stream === 'elsewhere') {
      for (const message of messages) call.write(message)
      left()
    } else if (stream.writable) stream.write(Buffer.concat(messages.flatMap((message) => [prefix(message), message])), left)
    messages = []
  }
  const write = (message: Buffer): void => {
    messages.push(message)
    if (messages.length === 1) setImmediate(flushOrLose)
  }
  return { write, leftAt: () => leftAt }
}

const prefix = (message: Buffer): Buffer => {
  const bytes = Buffer.alloc(PREFIX_SIZE)
  bytes.writeUInt32BE(message.length, 1)
  return bytes
}
