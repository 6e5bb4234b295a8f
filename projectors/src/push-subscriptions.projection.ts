import type { PushSubscriptionEvent } from '@tidings/domain'
import { defineProjection, defineTable, row } from '@tidings/projections'
import type { PushSubscriptionRow } from '@tidings/read-models'
import { type Erasure, isErasure, rowsOfContact } from './erasure.ts'

const pushSubscriptions = defineTable<PushSubscriptionRow<string>>({
  name: 'push_subscriptions',
  columns: {
    workspace_id: 'uuid',
    endpoint_hash: 'text',
    id: 'uuid',
    contact_id: 'uuid',
    browser: 'text?',
    platform: 'text?',
    created_at: 'timestamptz',
    last_seen_at: 'timestamptz',
    revoked_at: 'timestamptz?',
    revoke_reason: 'text?',
  },
  key: ['workspace_id', 'endpoint_hash'],
  indices: [{ name: 'contact', on: 'workspace_id, contact_id' }],
})

/** The browsers that were registered for web push, one row each in a workspace (N152), without endpoints and keys. An erased person's have no row. */
export const pushSubscriptionsProjection = defineProjection<PushSubscriptionEvent | Erasure>({
  name: 'push_subscriptions',
  version: 1,
  tables: [pushSubscriptions],
  personal: ['PushSubscriptionRegistered'],
  reads: (event) =>
    isErasure(event)
      ? [rowsOfContact(pushSubscriptions, event)]
      : [row(pushSubscriptions, event.meta.workspaceId, event.data.endpointHash)],
  on: {
    PushSubscriptionRegistered: ({ data, meta: { workspaceId, at }, erased }, rows) => {
      if (erased) return rows.delete(pushSubscriptions, workspaceId, data.endpointHash)
      rows.put(pushSubscriptions, {
        workspace_id: workspaceId,
        endpoint_hash: data.endpointHash,
        id: data.subscriptionId,
        contact_id: data.contactId,
        browser: data.browser,
        platform: data.platform,
        created_at: data.createdAt,
        last_seen_at: at,
        revoked_at: null,
        revoke_reason: null,
      })
    },
    PushSubscriptionRevoked: ({ data: { endpointHash, reason }, meta: { workspaceId, at } }, rows) => {
      const known = rows.get(pushSubscriptions, workspaceId, endpointHash)
      if (known !== undefined) rows.put(pushSubscriptions, { ...known, revoked_at: at, revoke_reason: reason })
    },
    ContactErasureRequested: (event, rows) => rows.deleteAll(rowsOfContact(pushSubscriptions, event)),
    ContactErased: (event, rows) => rows.deleteAll(rowsOfContact(pushSubscriptions, event)),
  },
})
