import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import { type AfterTimeout, slowestBodyMs } from './body/body-rate.ts'
import { clientAddress } from './client/client-address.ts'
import { answerClientError } from './client-errors.ts'
import { errorAnswers, sendProblem } from './errors/error-answers.ts'
import { toProblem } from './errors/to-problem.ts'
import { boundPipelines } from './pipelines.ts'
import { requestId, requestIdOf } from './request-id.ts'
import { requestLog } from './request-log.ts'
import { requiredHost } from './required-host.ts'
import { unknownRoutes } from './unknown-routes.ts'
import { hasUnreadBody, unreadBodies } from './unread-body.ts'

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
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
  childLoggerFactory: requestLog,
  logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
  ...(log ? { loggerInstance: log } : {}),
})

/** What holds on every port: request ids, errors in the envelope, 404 for what no route takes. It never listens. */
export function bareApp(parts: BareParts): App {
  const app = fastify(serverOptions(parts)).withTypeProvider<TypeBoxTypeProvider>()
  boundPipelines(app)
  app.register(requestId)
  app.register(clientAddress, { trustProxy: parts.trustProxy ?? '' })
  app.register(errorAnswers)
  app.register(requiredHost)
  app.register(unknownRoutes, { bodyLimit: parts.bodyLimit })
  app.register(unreadBodies, { after: parts.after })
  return app
}
