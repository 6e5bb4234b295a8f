import { WebhookEndpoints } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace, toWebhookEndpoint } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'webhooks.list',
  summary: 'List the webhook endpoints',
  tags: ['webhooks'],
  response: { 200: WebhookEndpoints },
}

const config = { dashboard: { role: 'admin' } } as const

/** The list is not paginated (contract: Pagination): its length is bounded. */
export function listWebhooks(app: App, { db }: Dependencies): void {
  app.get('/public/webhooks', { schema, config }, async ({ tenant }) => {
    const rows = await forWorkspace(db, tenant.workspaceId)
      .webhooks()
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute()
    return rows.map(toWebhookEndpoint)
  })
}
