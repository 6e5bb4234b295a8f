import type { FastifyBaseLogger } from 'fastify'
import { type App, BODY_LIMIT, bareApp } from './bare-app.ts'
import { afterTimeout } from './body/body-rate.ts'
import { health, type ReadinessCheck } from './health.ts'
import { metricsPage } from './metrics.ts'

export type AdminParts = Readonly<{
  ready: Readonly<Record<string, ReadinessCheck>>
  log?: FastifyBaseLogger
  metricsOfAll?: (() => Promise<string>) | undefined
}>

/** What is for operators and not for callers, to listen on a port of its own: `/metrics`, and health beside it. */
export function createAdminApp({ ready, log, metricsOfAll }: AdminParts): App {
  const app = bareApp({ bodyLimit: BODY_LIMIT, after: afterTimeout, ...(log && { log }) })
  app.register(metricsPage, { page: metricsOfAll })
  app.register(health, { checks: ready })
  return app
}
