import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const ACCEPTABLE = /^[A-Za-z0-9_-]{1,64}$/

/** The caller's `X-Request-Id` where it is acceptable, else a new one of a form that a caller may send (contract: Authentication, rule 9). */
export const requestId = (request: Pick<IncomingMessage, 'headers'>): string => {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID()
}
