import { WatchedWebhooks } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { watchedWebhooks } from './endpoints.ts'

const schema = {
  operationId: 'webhooks.health',
  summary: 'Every webhook endpoint, how its deliveries went within the last hour and day, and how many wait',
  tags: ['webhooks'],
  response: { 200: WatchedWebhooks },
}

const config = { access: 'session', dashboard: { role: 'admin' } } as const

export function listWatchedWebhooks(app: App, deps: Pick<DashboardDependencies, 'pool'>): void {
  app.get('/webhooks/health', { schema, config }, async ({ tenant }) => ({ items: [...(await watchedWebhooks(deps, tenant.workspaceId))] }))
}
