import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import fp from 'fastify-plugin'
import { type AfterTimeout, slowestBodyMs } from './body/body-rate.ts'
import { clientAddress } from './client/client-address.ts'
import { errorAnswers, sendProblem } from './errors/error-answers.ts'
import { errorBody } from './errors/error-body.ts'
import { PayloadTooLarge, type Problem } from './errors/problems.ts'
import { toProblem } from './errors/to-problem.ts'
import { stopping } from './graceful-close.ts'
import { boundPipelines } from './pipelines.ts'
import { requestLog } from './request-log.ts'
import { hasUnreadBody, unreadBodies } from './unread-body.ts'

// An `import` of node:http reads all that it exports, and loads the undici of Node for some of it: 0.1 s of CPU and 13 MB of each process.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The error envelope, with a request id, on a connection that Fastify has no reply for; then closes it. */
function answerRaw(socket: Duplex, problem: Problem): void {
  // Node has taken its own listener off a socket that it hands out.
  socket.on('error', () => socket.destroy())
  const body = errorBody(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

type ClientError = Error & Readonly<{ code?: string }>

const NOT_HTTP: Problem = { status: 400, message: 'The request is not valid HTTP' }

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'Request headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
}

/** Answers what Node could not read as HTTP: 400 in the error envelope, with a request id, and the connection closed. */
function answerClientError(error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  const message = messages[error.code ?? '']
  answerRaw(socket, message === undefined ? NOT_HTTP : { status: 400, message })
}

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
const unknownRoutes = fp<Readonly<{ bodyLimit: number }>>(
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

/** HTTP/1.1 asks for a `Host` (RFC 9112 §3.2). Node's own refusal has neither envelope nor request id, so the server leaves it to this hook. */
const requiredHost = fp(
  async (app) => {
    app.addHook('onRequest', ({ raw }, reply, done) => {
      if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return done()
      sendProblem(reply.header('connection', 'close'), NOT_HTTP)
    })
  },
  { name: 'required-host', dependencies: ['request-id', 'error-answers'] },
)

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export type BareParts = Readonly<{ bodyLimit: number; after: AfterTimeout; trustProxy?: string; log?: FastifyBaseLogger }>

export const BODY_LIMIT = 8 * 1024 * 1024
/** Node's own limit for the headers of a request; it checks every 30 s. */
const HEADERS_TIMEOUT_MS = 60_000
/** Room for the slowest body that `watchRate` lets through. */
const requestTimeout = (bodyLimit: number): number => HEADERS_TIMEOUT_MS + slowestBodyMs(bodyLimit)
/** This is longer than any URL that Node's header limit lets through: a long id is a bad UUID, not a bad URL. */
const MAX_PARAM_LENGTH = 16_384

const serializerFactory = SerializerSelector()

/** Compiles a response schema at the first answer of its route: all of them, each also for `HEAD`, take a fifth of the CPU of a start. */
const compiledAtFirstAnswer: typeof serializerFactory = (schemas, options) => {
  const compile = serializerFactory(schemas, options)
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (answer) => {
      serialize ??= compile(route)
      return serialize(answer)
    }
  }
}

const serverOptions = ({ bodyLimit, log }: BareParts): FastifyHttpOptions<RawServerDefault> => ({
  http: { requireHostHeader: false },
  genReqId: requestIdOf,
  bodyLimit,
  requestTimeout: requestTimeout(bodyLimit),
  return503OnClosing: false,
  clientErrorHandler: answerClientError,
  frameworkErrors: (error, request, reply) => {
    reply.raw.setHeader('X-Request-Id', request.id)
    if (hasUnreadBody(request.raw)) reply.header('connection', 'close')
    sendProblem(reply, toProblem(error))
  },
  schemaController: { compilersFactory: { buildSerializer: compiledAtFirstAnswer } },
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
  childLoggerFactory: requestLog,
  logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
  ...(log ? { loggerInstance: log } : {}),
})

/** What holds on every port: request ids, errors in the envelope, 404 for what no route takes. It never listens. */
export function bareApp(parts: BareParts): App {
  const app = fastify(serverOptions(parts)).withTypeProvider<TypeBoxTypeProvider>()
  boundPipelines(app)
  app.register(stopping)
  app.register(requestId)
  app.register(clientAddress, { trustProxy: parts.trustProxy ?? '' })
  app.register(errorAnswers)
  app.register(requiredHost)
  app.register(unknownRoutes, { bodyLimit: parts.bodyLimit })
  app.register(unreadBodies, { after: parts.after })
  return app
}

const ACCEPTABLE = /^[A-Za-z0-9_-]{1,64}$/

/** The caller's `X-Request-Id` where it is acceptable, else a new one of a form that a caller may send (contract: Authentication, rule 9). */
function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID()
}

/** Every answer names its request, a refusal too. */
const requestId = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.raw.setHeader('X-Request-Id', request.id)
      done()
    })
  },
  { name: 'request-id' },
)
