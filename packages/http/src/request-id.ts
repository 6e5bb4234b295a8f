import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'

const ACCEPTABLE = /^[A-Za-z0-9_-]{1,64}$/

/** The caller's `X-Request-Id` where it is acceptable, else a new one of a form that a caller may send (contract: Authentication, rule 9). */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID()
}

/** Every answer names its request, a refusal too. */
export const requestId = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.raw.setHeader('X-Request-Id', request.id)
      done()
    })
  },
  { name: 'request-id' },
)
