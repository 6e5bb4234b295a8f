import { EndpointParams, WatchedWebhook } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { watchedWebhook } from './endpoints.ts'

const schema = {
  operationId: 'webhooks.read',
  summary: 'A webhook endpoint, and how its deliveries go',
  tags: ['webhooks'],
  params: EndpointParams,
  response: { 200: WatchedWebhook },
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['webhook_not_found'] } as const

export function readWebhook(app: App, deps: Pick<DashboardDependencies, 'pool'>): void {
  app.get('/webhooks/:id', { schema, config }, async ({ tenant: { workspaceId }, params: { id: endpointId } }) =>
    watchedWebhook(deps, { workspaceId, endpointId }),
  )
}
