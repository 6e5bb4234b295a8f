import type { FastifyBaseLogger } from 'fastify'
import { admission } from './admission.ts'
import { type Authentication, authentication } from './auth/authenticate.ts'
import { type App, BODY_LIMIT, bareApp } from './bare-app.ts'
import { bodies } from './body/bodies.ts'
import { type AfterTimeout, afterTimeout } from './body/body-rate.ts'
import { envelope } from './envelope.ts'
import { health, type ReadinessCheck } from './health.ts'
import { commandIds, type IdempotencyOptions, idempotency } from './idempotency/idempotency.ts'
import { metricsPage, requestMetrics } from './metrics.ts'
import { documentation } from './openapi/documentation.ts'
import type { RateCounters } from './rate-limit/counters.ts'
import { memoryCounters } from './rate-limit/memory-counters.ts'
import { type RateLimits, rateLimits } from './rate-limit/rate-limits.ts'
import { validation } from './validation/validation.ts'
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
  /** `Idempotency-Key` is ignored without it. */
  idempotency?: IdempotencyOptions
  ready?: Readonly<Record<string, ReadinessCheck>>
  /** The counters of requests; by default in this process's memory. */
  counters?: Readonly<{ route: RateCounters; key: RateCounters }>
  /** `createAdminApp` serves the routes for operators, on a port of its own; here they are unknown routes. */
  adminPort?: boolean
  /** The timer of slow bodies; by default a real one. */
  after?: AfterTimeout
  /** The text of `/openapi.json`, where this app is only a part of what it documents; else that of its own routes. */
  openApi?: () => Promise<string>
  /** The page of metrics, where this process is one of several; else its own. */
  metricsOfAll?: (() => Promise<string>) | undefined
}>

const BODY_BUDGET = 256 * 1024 * 1024

/**
 * The service's HTTP conventions as one Fastify app; it never listens. Register routes as plugins of it: each gets envelope,
 * throttling, authentication, whitelisting, validation and idempotency by what its `config` and `schema` say, in the order
 * route → body → throttle → auth → validation → handler; a body over 64 KiB is read after auth (docs/reference/rules.md#order-of-checks, M32). Each plugin names those that
 * must come before it: Fastify refuses to start in another order.
 */
export function createApp(parts: AppParts): App {
  const { settings, log, counters = { route: memoryCounters(), key: memoryCounters() } } = parts
  const { bodyLimit = BODY_LIMIT, bodyBudget = BODY_BUDGET, trustProxy } = settings
  const { after = afterTimeout, openApi } = parts
  const app = bareApp({ bodyLimit, after, ...(trustProxy && { trustProxy }), ...(log && { log }) })
  app.addHook('onRoute', ({ url }) => {
    // A route without the hooks of the plugins would be open to everyone.
    if (!app.hasPlugin('envelope')) throw new Error(`the route ${url} comes before the conventions: add it in a plugin`)
  })
  app.register(admission)
  app.register(bodies, { bodyLimit, bodyBudget, after })
  app.register(rateLimits, { limits: settings.rateLimits, counters, credentials: parts.authentication.credentials })
  app.register(authentication, parts.authentication)
  app.register(whitelist)
  app.register(validation)
  app.register(commandIds)
  if (parts.idempotency) app.register(idempotency, parts.idempotency)
  app.register(envelope)
  app.register(documentation, openApi ? { written: openApi } : {})
  app.register(requestMetrics)
  if (!parts.adminPort) app.register(metricsPage, { page: parts.metricsOfAll })
  app.register(health, { checks: parts.ready ?? {} })
  return app
}
