import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorBody } from './error-body.ts'
import { lingeringText } from './lingering-text.ts'
import { PayloadTooLarge, type Problem } from './problems.ts'
import { toProblem } from './to-problem.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends the problem in the error envelope. A string payload passes by the success envelope and the response schemas. */
export const sendProblem = (reply: FastifyReply, problem: Problem): FastifyReply => {
  for (const [name, value] of Object.entries(problem.headers ?? {})) reply.raw.setHeader(name, value)
  return reply.code(problem.status).type(JSON_TYPE).send(errorBody(problem))
}

const sendTooLarge = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const text = 'Payload Too Large'
  return reply
    .code(413)
    .header('connection', 'close')
    .header('content-length', text.length)
    .type('text/plain')
    .send(lingeringText(text, request.raw))
}

/** Ours, of JSON; or Fastify's, of the forms that a route takes beside it. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof PayloadTooLarge || (error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')

/** Never the query: it can hold somebody's address. */
const routeOf = ({ method, url }: FastifyRequest) => ({ method, path: url.split('?', 1)[0] })

/** Every error becomes an answer here, and every unknown route Express's sentence (decisions.md §1). */
export const answerErrors = (app: FastifyInstance): void => {
  app.setErrorHandler((error, request, reply) => {
    if (isTooLarge(error)) return sendTooLarge(request, reply)
    // Fastify closes the connection after any error of a body; one that came in whole leaves nothing unread behind.
    if (request.raw.complete) reply.removeHeader('connection')
    const problem = toProblem(error)
    if (problem.status === 500) request.log.error({ err: error, ...routeOf(request) }, 'request failed')
    else if (problem.status === 503) request.log.warn({ err: error, ...routeOf(request) }, 'request answered 503')
    return sendProblem(reply, problem)
  })
  app.setNotFoundHandler((request, reply) => sendProblem(reply, { status: 404, message: `Cannot ${request.method} ${request.raw.url}` }))
}
