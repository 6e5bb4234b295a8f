import type { FastifyInstance } from 'fastify'

const BOUND_MS = 8_000
const HANG_UP_MS = 50

/**
 * Stops taking connections, lets running requests finish for at most `boundMs`, then cuts what is left; resolves when everything is
 * closed and the `onClose` hooks have run. Stopping has 10 s in all (O1).
 */
export async function closeGracefully(app: FastifyInstance, boundMs: number = BOUND_MS): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), boundMs)
  // Node closes those that are idle now; a connection that is kept alive behind a request under way would delay the rest.
  const hangUp = setInterval(() => app.server.closeIdleConnections(), HANG_UP_MS)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
    clearInterval(hangUp)
  }
}
