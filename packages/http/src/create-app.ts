import type { FastifyBaseLogger } from 'fastify'
import { type Authentication, requireKeys } from './auth/authenticate.ts'
import { type App, BODY_LIMIT, bareApp } from './bare-app.ts'
import { readBodies } from './body/bodies.ts'
import { type After, afterTimeout } from './body/body-pace.ts'
import { wrapAnswers } from './envelope.ts'
import { type ReadinessCheck, tellHealth } from './health.ts'
import { giveCommandIds, honourIdempotencyKeys, type Idempotency } from './idempotency/idempotency.ts'
import { observeRequests, showMetrics } from './metrics.ts'
import { documentRoutes } from './openapi.ts'
import type { RateCounters } from './rate-limit/counters.ts'
import { memoryCounters } from './rate-limit/memory-counters.ts'
import { limitRates, type RateLimits } from './rate-limit/rate-limits.ts'
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
  /** What is for operators is shown by `createAdminApp`, on a port of its own, and is an unknown route here. */
  adminPort?: boolean
  /** The timer of slow bodies; a real one unless another is given. */
  after?: After
  /** The text of `/openapi.json`, where this app is only a part of what it documents; else that of its own routes. */
  openApi?: () => Promise<string>
}>

const BODY_BUDGET = 256 * 1024 * 1024

/**
 * The service's HTTP conventions as one Fastify app; it never listens. Register routes as plugins of it: each gets envelope,
 * throttling, authentication, whitelisting, validation and idempotency by what its `config` and `schema` say, in the order
 * route → body → throttle → auth → validation → handler; a body over 64 KiB is read after auth (docs/reference/rules.md#order-of-checks, M32).
 */
export const createApp = (parts: AppParts): App => {
  const { settings } = parts
  const { bodyLimit = BODY_LIMIT, bodyBudget = BODY_BUDGET, rateLimits, trustProxy } = settings
  const { after = afterTimeout, log } = parts
  const app = bareApp({ bodyLimit, after, ...(trustProxy && { trustProxy }), ...(log && { log }) })
  app.decorateRequest('tenant', null as never)
  app.decorateRequest('keyHash', null)
  app.setValidatorCompiler(compileValidator)
  readBodies(app, { bodyLimit, bodyBudget, after })
  giveCommandIds(app)
  wrapAnswers(app)
  whitelist(app)
  if (parts.idempotency) honourIdempotencyKeys(app, parts.idempotency)
  // Each puts its hook before the ones already there: the last one runs first.
  refuseInvalidText(app)
  requireKeys(app, parts.authentication)
  limitRates(app, rateLimits, parts.counters ?? { route: memoryCounters(), key: memoryCounters() })
  documentRoutes(app, parts.openApi)
  observeRequests(app)
  if (!parts.adminPort) showMetrics(app)
  tellHealth(app, parts.ready ?? {})
  return app
}
