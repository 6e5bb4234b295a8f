import { type TSchema, Type } from '@sinclair/typebox'
import { traces } from '@tidings/observability/traces'
import type { FastifyBaseLogger, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { admission } from './admission.ts'
import { type Authentication, authentication } from './auth/authenticate.ts'
import { type App, BODY_LIMIT, bareApp } from './bare-app.ts'
import { bodies } from './body/bodies.ts'
import { type AfterTimeout, afterTimeout } from './body/body-rate.ts'
import { health, type ReadinessCheck } from './health.ts'
import { commandIds, type IdempotencyOptions, idempotency } from './idempotency/idempotency.ts'
import { ifMatch } from './if-match.ts'
import { metricsPage, requestMetrics } from './metrics.ts'
import { documentation } from './openapi/documentation.ts'
import type { RateCounters } from './rate-limit/counters.ts'
import { memoryCounters } from './rate-limit/memory-counters.ts'
import { type RateLimits, rateLimits, sessionLimit } from './rate-limit/rate-limits.ts'
import { requestTraces } from './request-traces.ts'
import { validation } from './validation/validation.ts'

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** What a route does not declare, it does not take: without a schema for its query or body, any property there is a 400 (contract: Requests). */
const whitelist = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (route.config?.raw) return
      const schema = { ...route.schema }
      schema.querystring ??= Type.Object({})
      if ([route.method].flat().some((method) => WITH_BODY.has(method))) schema.body ??= Type.Object({})
      route.schema = schema
    })
  },
  { name: 'whitelist' },
)

/** `trustProxy`: addresses whose `X-Forwarded-For` is believed, comma list. Bytes. Defaults: 8 MiB a body, 256 MiB of bodies at once. */
export type HttpSettings = Readonly<{
  rateLimits: RateLimits
  trustProxy?: string
  bodyLimit?: number
  bodyBudget?: number
  /** Where the world reaches the service, where that is configured. */
  publicUrl?: string
}>

export type AppParts = Readonly<{
  settings: HttpSettings
  authentication: Authentication
  log?: FastifyBaseLogger
  /** `Idempotency-Key` is ignored without it. */
  idempotency?: IdempotencyOptions
  ready?: Readonly<Record<string, ReadinessCheck>>
  /** Checks of what the process can do without. */
  lacking?: Readonly<Record<string, ReadinessCheck>> | undefined
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
  /** Rejects unless other processes serve the same address while this one stops. */
  othersServe?: ReadinessCheck | undefined
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
  const recording = traces()
  if (recording !== null) app.register(requestTraces, { traces: recording })
  app.register(admission)
  app.register(bodies, { bodyLimit, bodyBudget, after })
  app.register(rateLimits, { limits: settings.rateLimits, counters, credentials: parts.authentication.credentials })
  app.register(authentication, { ...parts.authentication, countSession: sessionLimit(settings.rateLimits, counters.key) })
  app.register(whitelist)
  app.register(validation)
  app.register(commandIds)
  if (parts.idempotency) app.register(idempotency, parts.idempotency)
  app.register(ifMatch)
  app.register(envelope)
  app.register(documentation, { ...(openApi && { written: openApi }), ...(settings.publicUrl && { publicUrl: settings.publicUrl }) })
  app.register(requestMetrics)
  if (!parts.adminPort) app.register(metricsPage, { page: parts.metricsOfAll })
  app.register(health, { checks: parts.ready ?? {}, lacking: parts.lacking, othersServe: parts.othersServe })
  return app
}

/** The success envelope around a response schema. */
const envelopeOf = <Data extends TSchema>(data: Data) => {
  const success = Type.Literal(true, { sentence: 'Always true.' })
  return Type.Object({ success, data }, data.title === undefined ? {} : named(data.title, data.examples))
}

/** Only the OpenAPI document uses it. */
const named = (title: string, examples: unknown): object => ({
  title: `${title}Envelope`,
  description: `${title}, in the envelope of every success.`,
  ...(Array.isArray(examples) && { examples: examples.map((data) => ({ success: true, data })) }),
})

const isSuccess = (status: string): boolean => status.startsWith('2') && status !== '204'

const wrapResponses = (route: RouteOptions): void => {
  const responses = route.schema?.response
  if (responses === undefined || responses === null || typeof responses !== 'object') return
  const wrapped = Object.entries(responses).map(([status, schema]) => [status, isSuccess(status) ? envelopeOf(schema) : schema])
  route.schema = { ...route.schema, response: Object.fromEntries(wrapped) }
}

/** Handlers return their data; the envelope is put around it, and around the response schema they declared. `raw` routes stay bare. */
const envelope = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (route.config?.raw) return
      wrapResponses(route)
      const own = [route.preSerialization ?? []].flat()
      route.preSerialization = [...own, (_request, _reply, data, done) => done(null, { success: true, data })]
    })
  },
  { name: 'envelope' },
)

type AdminParts = Readonly<{
  ready: Readonly<Record<string, ReadinessCheck>>
  lacking?: Readonly<Record<string, ReadinessCheck>> | undefined
  log?: FastifyBaseLogger
  metricsOfAll?: (() => Promise<string>) | undefined
  /** Rejects unless other processes serve the same address while this one stops. */
  othersServe?: ReadinessCheck | undefined
}>

/** What is for operators and not for callers, to listen on a port of its own: `/metrics`, and health beside it. */
export function createAdminApp({ ready, lacking, log, metricsOfAll, othersServe }: AdminParts): App {
  const app = bareApp({ bodyLimit: BODY_LIMIT, after: afterTimeout, ...(log && { log }) })
  app.register(metricsPage, { page: metricsOfAll })
  app.register(health, { checks: ready, lacking, othersServe })
  return app
}
