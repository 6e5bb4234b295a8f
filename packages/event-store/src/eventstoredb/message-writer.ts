import type { Duplex } from 'node:stream'
import { http2StreamOf } from './client-internals.ts'

type Options = Readonly<{
  call: Readonly<{ write: (message: Buffer) => unknown }>
  isOpen: () => boolean
  /** Called a turn of the event loop after the HTTP/2 stream of the call has closed. */
  onLost: () => void
}>

/** Of a message on the wire: "not compressed", and its length. */
const PREFIX_SIZE = 5
const CONNECTING_MS = 2

/**
 * Writes messages to a call, those of one turn of the event loop together. What is written to a call that is over is dropped.
 *
 * @grpc/grpc-js writes a message, and the next one when that has left the process: two in a turn at most. With turns of 3 ms, 64 callers had 190 to 305
 * appends a second, and 1 460 to 1 700 with this. So messages go to the HTTP/2 stream below the call.
 */
export function createMessageWriter({ call, isOpen, onLost }: Options): (message: Buffer) => void {
  let stream: Duplex | 'not yet' | 'elsewhere' = 'not yet'
  let messages: Buffer[] = []
  const find = (): typeof stream => {
    const found = http2StreamOf(call)
    if (typeof found === 'string') return found
    if (found.destroyed) setImmediate(onLost)
    else found.once('close', () => setImmediate(onLost))
    return found
  }
  const flush = (): void => {
    if (!isOpen()) return
    if (stream === 'not yet') stream = find()
    if (stream === 'not yet') return void setTimeout(flush, CONNECTING_MS)
    if (stream === 'elsewhere') for (const message of messages) call.write(message)
    else if (stream.writable) stream.write(Buffer.concat(messages.flatMap((message) => [prefix(message), message])))
    messages = []
  }
  return (message) => {
    messages.push(message)
    if (messages.length === 1) setImmediate(flush)
  }
}

const prefix = (message: Buffer): Buffer => {
  const bytes = Buffer.alloc(PREFIX_SIZE)
  bytes.writeUInt32BE(message.length, 1)
  return bytes
}
