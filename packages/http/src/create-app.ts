import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import { type Authentication, requireKeys } from './auth/authenticate.ts'
import { readBodies } from './body/bodies.ts'
import { type After, afterTimeout, slowestBodyMs } from './body/body-pace.ts'
import { answerClientError } from './client-errors.ts'
import { wrapAnswers } from './envelope.ts'
import { answerErrors, sendProblem } from './errors/error-answers.ts'
import { toProblem } from './errors/to-problem.ts'
import { type ReadinessCheck, tellHealth } from './health.ts'
import { giveCommandIds, honourIdempotencyKeys, type Idempotency } from './idempotency/idempotency.ts'
import { measure } from './metrics.ts'
import { documentRoutes } from './openapi.ts'
import type { RateCounters } from './rate-limit/counters.ts'
import { memoryCounters } from './rate-limit/memory-counters.ts'
import { limitRates, type RateLimits } from './rate-limit/rate-limits.ts'
import { requestId } from './request-id.ts'
import { requestLog } from './request-log.ts'
import { refuseUnknownRoutes } from './unknown-routes.ts'
import { cutUnreadBodies, hasUnreadBody } from './unread-body.ts'
import { compileValidator, refuseInvalidText } from './validation/validation.ts'
import { whitelist } from './whitelist.ts'

/** `trustProxy`: addresses whose `X-Forwarded-For` is believed, comma list. Bytes. Defaults: 8 MiB a body, 256 MiB of bodies at once. */
export type HttpSettings = Readonly<{
  rateLimits: RateLimits
  trustProxy?: string
  bodyLimit?: number
  bodyBudget?: number
}>

export type AppParts = Readonly<{
  settings: HttpSettings
  authentication: Authentication
  log?: FastifyBaseLogger
  /** Without it `Idempotency-Key` is ignored: for an app that only reads. */
  idempotency?: Idempotency
  ready?: Readonly<Record<string, ReadinessCheck>>
  /** Where requests are counted; in this process's memory unless another place is given. */
  counters?: Readonly<{ route: RateCounters; key: RateCounters }>
  /** The timer of slow bodies; a real one unless another is given. */
  after?: After
  /** The text of `/openapi.json`, where this app is only a part of what it documents; else that of its own routes. */
  openApi?: () => Promise<string>
}>

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

const MIB = 1024 * 1024
const BODY_LIMIT = 8 * MIB
/** Node's own limit for the headers of a request; it checks every 30 s. */
const HEADERS_TIMEOUT_MS = 60_000
/** Room for the slowest body that `watchPace` lets through. */
const requestTimeout = (bodyLimit: number): number => HEADERS_TIMEOUT_MS + slowestBodyMs(bodyLimit)
/** Longer than any URL that Node's header limit lets through: a long id is a bad UUID, not a bad URL. */
const MAX_PARAM_LENGTH = 16_384

const serverOptions = ({ settings, log }: AppParts): FastifyServerOptions => ({
  genReqId: requestId,
  bodyLimit: settings.bodyLimit ?? BODY_LIMIT,
  requestTimeout: requestTimeout(settings.bodyLimit ?? BODY_LIMIT),
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
  ...(settings.trustProxy ? { trustProxy: settings.trustProxy } : {}),
  ...(log ? { loggerInstance: log } : {}),
})

/**
 * The service's HTTP conventions as one Fastify app; it never listens. Register routes as plugins of it: each gets envelope,
 * throttling, authentication, whitelisting, validation and idempotency by what its `config` and `schema` say, in the order
 * route → body → throttle → auth → validation → handler; a body over 64 KiB is read after auth (decisions.md §1, M32).
 */
export const createApp = (parts: AppParts): App => {
  const { settings } = parts
  const app = fastify(serverOptions(parts)).withTypeProvider<TypeBoxTypeProvider>()
  app.decorateRequest('tenant', null as never)
  app.decorateRequest('keyHash', null)
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.setHeader('X-Request-Id', request.id)
    done()
  })
  app.setValidatorCompiler(compileValidator)
  answerErrors(app)
  const { after = afterTimeout } = parts
  const bodyLimit = settings.bodyLimit ?? BODY_LIMIT
  refuseUnknownRoutes(app, bodyLimit)
  cutUnreadBodies(app, after)
  readBodies(app, { bodyLimit, bodyBudget: settings.bodyBudget ?? 256 * MIB, after })
  giveCommandIds(app)
  wrapAnswers(app)
  whitelist(app)
  if (parts.idempotency) honourIdempotencyKeys(app, parts.idempotency)
  // Each puts its hook before the ones already there: the last one runs first.
  refuseInvalidText(app)
  requireKeys(app, parts.authentication)
  limitRates(app, settings.rateLimits, parts.counters ?? { route: memoryCounters(), key: memoryCounters() })
  documentRoutes(app, parts.openApi)
  measure(app)
  tellHealth(app, parts.ready ?? {})
  return app
}
