import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'
import type { AfterTimeout } from './body/body-rate.ts'

const LINGER_MS = 2_000

/** Whether a body was announced that has not come in whole. A request that was injected has no wire. */
export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return complete === false && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
}

/**
 * Node reads and drops what still comes of a body that was answered without it. A connection on which that has not ended after 2 s is
 * closed: no client keeps one open with a body that no handler waits for.
 */
export const unreadBodies = fp<Readonly<{ after: AfterTimeout }>>(
  async (app, { after }) => {
    app.addHook('onResponse', ({ raw }, _reply, done) => {
      if (hasUnreadBody(raw)) {
        const cancel = after(LINGER_MS, () => raw.socket.destroy())
        raw.once('close', cancel)
      }
      done()
    })
  },
  { name: 'unread-bodies' },
)
