import type { WebhooksEvent } from '@tidings/domain'
import { defineProjection, defineTable, row } from '@tidings/projections'
import type { WebhookRow } from '@tidings/read-models'

const webhooks = defineTable<WebhookRow<string>>({
  name: 'webhooks',
  columns: {
    workspace_id: 'uuid',
    id: 'uuid',
    url: 'text',
    label: 'text?',
    events: 'text[]',
    active: 'boolean',
    created_at: 'timestamptz',
  },
  key: ['workspace_id', 'id'],
  cachedRows: 200,
})

/** The webhook endpoints as the API lists them, without their secrets. One whose key is gone is deleted further on in the log. */
export const webhooksProjection = defineProjection<WebhooksEvent>({
  name: 'webhooks',
  version: 1,
  tables: [webhooks],
  personal: ['WebhookEndpointCreated'],
  reads: ({ type, data, meta: { workspaceId } }) =>
    type === 'WebhookEndpointCreated' ? [] : [row(webhooks, workspaceId, data.endpointId)],
  on: {
    WebhookEndpointCreated: ({ data: { endpointId, url, label, events }, meta: { workspaceId, at }, erased }, rows) => {
      if (!erased) rows.create(webhooks, { workspace_id: workspaceId, id: endpointId, url, label, events, active: true, created_at: at })
    },
    WebhookEndpointPaused: ({ data: { endpointId }, meta: { workspaceId } }, rows) => {
      const known = rows.get(webhooks, workspaceId, endpointId)
      if (known !== undefined) rows.put(webhooks, { ...known, active: false })
    },
    WebhookEndpointResumed: ({ data: { endpointId }, meta: { workspaceId } }, rows) => {
      const known = rows.get(webhooks, workspaceId, endpointId)
      if (known !== undefined) rows.put(webhooks, { ...known, active: true })
    },
    WebhookEndpointDeleted: ({ data: { endpointId }, meta: { workspaceId } }, rows) => rows.delete(webhooks, workspaceId, endpointId),
  },
})
