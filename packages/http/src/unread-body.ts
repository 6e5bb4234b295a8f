import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import type { AfterTimeout } from './body/body-rate.ts'

const LINGER_MS = 2_000

/** Whether a body was announced that has not come in whole. A request that was injected has no wire. */
export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return complete === false && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
}

/** So much of a body is read after its answer at most. */
export const LINGER_BYTES = 16 * 1024 * 1024

/**
 * Calls `end` once a turn of the event loop has read nothing from the socket, or once `most` bytes were read. A process that stood still comes to
 * its timers before the bytes that came in meanwhile. They lie in the kernel, which resets a connection that is closed over them.
 */
export function afterLastRead(socket: Socket, end: () => void, most: number = LINGER_BYTES): void {
  const before = socket.bytesRead
  const look = (): void => {
    const read = socket.bytesRead - before
    if (read > 0 && read < most) afterLastRead(socket, end, most - read)
    else end()
  }
  // The first ends the turn that has begun, whose reads may be over.
  setImmediate(() => void setImmediate(look))
}

/**
 * Node reads and drops what still comes of a body that was answered without it. A connection on which that has not ended after 2 s is
 * closed: no client keeps one open with a body that no handler waits for.
 */
export const unreadBodies = fp<Readonly<{ after: AfterTimeout }>>(
  async (app, { after }) => {
    app.addHook('onResponse', ({ raw }, _reply, done) => {
      if (hasUnreadBody(raw)) {
        const close = () => {
          if (hasUnreadBody(raw)) raw.socket.destroy()
        }
        const cancel = after(LINGER_MS, () => afterLastRead(raw.socket, close))
        raw.once('close', cancel)
      }
      done()
    })
  },
  { name: 'unread-bodies' },
)
