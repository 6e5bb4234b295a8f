import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type AfterTimeout, afterTimeout } from './body/body-rate.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** `begun`: it still answers, and is to be left alone. */
    readonly stopping: { begun: boolean }
  }
}

/** Once a stop has begun, every answer closes its connection, also that of a request from before: none is kept on which a request could meet the end of the process. */
export const stopping = fp(
  async (app) => {
    app.decorate('stopping', { begun: false })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (app.stopping.begun) reply.header('connection', 'close')
      done(null, payload)
    })
    app.addHook('preClose', async () => {
      app.stopping.begun = true
    })
  },
  { name: 'stopping' },
)

const BOUND_MS = 8_000
const HANG_UP_MS = 50

/** `drainMs`: how long requests are taken while `/health/ready` is 503; default not at all. `boundMs`: how long running ones may take then. */
export type Closing = Readonly<{ drainMs?: number; boundMs?: number; after?: AfterTimeout }>

/**
 * Drains, so that a gateway which looks at `/health/ready` leaves this process out first. Then stops taking connections, lets running requests finish
 * for at most `boundMs`, and cuts what is left; resolves when everything is closed and the `onClose` hooks have run. Stopping has 10 s beside the
 * drain (O1). The drain comes before `close`, which Fastify gives 10 s.
 */
export async function closeGracefully(app: FastifyInstance, { drainMs = 0, boundMs = BOUND_MS, after = afterTimeout }: Closing = {}) {
  if (app.server.listening) {
    app.stopping.begun = true
    if (drainMs > 0) await new Promise<void>((resolve) => after(drainMs, resolve))
  }
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
