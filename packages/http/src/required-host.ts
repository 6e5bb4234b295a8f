import fp from 'fastify-plugin'
import { NOT_HTTP } from './client-errors.ts'
import { sendProblem } from './errors/error-answers.ts'

/** HTTP/1.1 asks for a `Host` (RFC 9112 §3.2). Node's own refusal has neither envelope nor request id, so the server leaves it to this hook. */
export const requiredHost = fp(
  async (app) => {
    app.addHook('onRequest', ({ raw }, reply, done) => {
      if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return done()
      sendProblem(reply.header('connection', 'close'), NOT_HTTP)
    })
  },
  { name: 'required-host', dependencies: ['request-id', 'error-answers'] },
)
