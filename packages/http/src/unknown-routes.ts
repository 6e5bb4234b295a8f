import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { sendProblem } from './errors/error-answers.ts'
import { PayloadTooLarge } from './errors/problems.ts'
import { answerRaw } from './raw-answer.ts'
import { hasUnreadBody } from './unread-body.ts'

/** A body of at most this many bytes is dropped on a connection that stays open. */
const DROPPED_BYTES = 64 * 1024

const notFound = (method: string | undefined, url: string | undefined) => ({ status: 404, message: `Cannot ${method} ${url}` })

const closesAfter = ({ raw }: FastifyRequest): boolean =>
  hasUnreadBody(raw) && !(raw.headers.expect === undefined && Number(raw.headers['content-length']) <= DROPPED_BYTES)

const refuse = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  if (closesAfter(request)) reply.header('connection', 'close')
  return sendProblem(reply, notFound(request.method, request.raw.url))
}

/**
 * Express's sentence for every request that no route takes, before any of its body is read, whatever the method: Fastify routes some of the
 * methods that Node parses, and its own answer to the rest (QUERY, LINK) is an error. Only a body that says it is too large comes first.
 */
export const unknownRoutes = fp<Readonly<{ bodyLimit: number }>>(
  async (app, { bodyLimit }) => {
    app.addHook('onRequest', (request, reply, done) => {
      if (!request.is404) return done()
      if (Number(request.headers['content-length']) > bodyLimit) return done(new PayloadTooLarge())
      refuse(request, reply)
    })
    app.setNotFoundHandler(refuse)
    // Node closes the connection without an answer if there is no listener.
    app.server.on('connect', ({ method, url }, socket) => answerRaw(socket, notFound(method, url)))
  },
  { name: 'unknown-routes', dependencies: ['request-id', 'error-answers'] },
)
