import type { MessageSent } from '@tidings/domain'
import { defineProjection, defineTable } from '@tidings/projections'
import type { ProviderIdRow } from '@tidings/read-models'

/** This table is beside `messages`, which has no index on what changes: a row is written once. */
const providerIds = defineTable<ProviderIdRow<string>>({
  name: 'provider_ids',
  columns: { workspace_id: 'uuid', provider_message_id: 'text', message_id: 'uuid', sent_at: 'timestamptz' },
  key: ['workspace_id', 'provider_message_id', 'message_id'],
  // This index is for receipts, which name no workspace.
  indices: [{ name: 'provider_id', on: 'provider_message_id, sent_at desc' }],
})

/**
 * The mails that a server has given a name of its own, by that name: receipts may use it. Our Message-ID names its message itself. A name may come
 * again: servers use theirs anew.
 */
export const providerIdsProjection = defineProjection<MessageSent>({
  name: 'provider_ids',
  version: 1,
  tables: [providerIds],
  personal: [],
  reads: () => [],
  on: {
    MessageSent: ({ data: { channel, messageId, providerMessageId }, meta: { workspaceId, at } }, rows) => {
      if (channel !== 'email' || providerMessageId.includes(messageId)) return
      rows.put(providerIds, { workspace_id: workspaceId, provider_message_id: providerMessageId, message_id: messageId, sent_at: at })
    },
  },
})
