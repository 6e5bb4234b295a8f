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
/** A request must have come in whole within this; Node checks every 30 s. */
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than any URL that Node's header limit lets through: a long id is a bad UUID, not a bad URL. */
const MAX_PARAM_LENGTH = 16_384

const serverOptions = ({ settings, log }: AppParts): FastifyServerOptions => ({
  genReqId: requestId,
  bodyLimit: settings.bodyLimit ?? 8 * MIB,
  requestTimeout: REQUEST_TIMEOUT_MS,
  return503OnClosing: false,
  clientErrorHandler: answerClientError,
  frameworkErrors: (error, request, reply) => {
    reply.raw.setHeader('X-Request-Id', request.id)
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
 * body → route → throttle → auth → validation → handler (decisions.md §1).
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
  readBodies(app, { bodyLimit: settings.bodyLimit ?? 8 * MIB, bodyBudget: settings.bodyBudget ?? 256 * MIB })
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
