import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { Refused } from '@tidings/domain'
import { createLineBudget } from '@tidings/observability/line-budget'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { countUndeclaredRefusal } from '../metrics.ts'
import { declaresRefusal } from '../openapi/possible-errors.ts'
import { afterLastRead, hasUnreadBody, LINGER_BYTES } from '../unread-body.ts'
import { errorBody } from './error-body.ts'
import { PayloadTooLarge, type Problem } from './problems.ts'
import { toProblem } from './to-problem.ts'

const LINGER_MS = 2_000

/**
 * A text answer whose connection closes only when the request's body has come in, or after 2 s or 16 MiB of it, whichever is first.
 * Closing a socket with unread bytes makes the kernel send RST, and the client, still uploading, would never see the answer.
 */
function lingeringText(text: string, request: IncomingMessage): Readable {
  const answer = new Readable({ read: () => undefined })
  answer.push(text)
  if (request.complete || request.destroyed) {
    answer.push(null)
    return answer
  }
  let seen = 0
  let ended = false
  const end = (): void => {
    if (ended) return
    ended = true
    clearTimeout(timer)
    request.off('data', count).off('end', end).off('close', end)
    answer.push(null)
  }
  const count = (chunk: Buffer): void => {
    seen += chunk.length
    if (seen > LINGER_BYTES) end()
  }
  const timer = setTimeout(() => afterLastRead(request.socket, end), LINGER_MS)
  request.on('data', count).on('end', end).on('close', end)
  request.resume()
  return answer
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends the problem in the error envelope. A string payload passes by the success envelope and the response schemas. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  for (const [name, value] of Object.entries(problem.headers ?? {})) reply.raw.setHeader(name, value)
  const text = errorBody(problem)
  if (reply.hasHeader('connection') && hasUnreadBody(reply.request.raw)) {
    return sendLingering(reply, { status: problem.status, type: JSON_TYPE, text })
  }
  return reply.code(problem.status).type(JSON_TYPE).send(text)
}

/** An answer on a connection that closes; a client that is still sending gets the time to read it. */
const sendLingering = (
  reply: FastifyReply,
  { status, type, text }: Readonly<{ status: number; type: string; text: string }>,
): FastifyReply =>
  reply
    .code(status)
    .header('connection', 'close')
    .header('content-length', Buffer.byteLength(text))
    .type(type)
    .send(lingeringText(text, reply.request.raw))

/** Leaves out the query: it can hold somebody's address. */
const routeOf = ({ method, url }: FastifyRequest) => ({ method, path: url.split('?', 1)[0] })

/** The OpenAPI document names the codes of each route. One that it does not name is answered all the same. */
const checkDeclared = ({ code }: Refused, { method, routeOptions }: FastifyRequest): void => {
  const { config, url = '' } = routeOptions
  if (!declaresRefusal(config, method, code)) countUndeclaredRefusal(`${method} ${url}`, code)
}

/** Every request of an outage is answered 503, and readiness says why in one line. */
const OUTAGE_LINES = { lines: 1, perMs: 60_000 }

/** Every error becomes an answer here. */
export const errorAnswers = fp(
  async (app) => {
    const outages = createLineBudget(OUTAGE_LINES)
    app.setErrorHandler((error, request, reply) => {
      if (error instanceof PayloadTooLarge) return sendLingering(reply, { status: 413, type: 'text/plain', text: 'Payload Too Large' })
      // Fastify closes the connection after any error of a body; one that came in whole leaves nothing unread behind.
      if (request.raw.complete) reply.removeHeader('connection')
      if (error instanceof Refused) checkDeclared(error, request)
      const problem = toProblem(error)
      if (problem.status === 500) request.log.error({ err: error, ...routeOf(request) }, 'request failed')
      else if (problem.status === 503)
        outages((unsaid) =>
          request.log.warn(
            { err: error, ...routeOf(request), ...(unsaid > 0 && { unsaid }) },
            'request answered 503; such a line comes once a minute',
          ),
        )
      return sendProblem(reply, problem)
    })
  },
  { name: 'error-answers', dependencies: ['request-id'] },
)
