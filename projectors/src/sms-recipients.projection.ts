import { type SmsAccepted, smsSenderKey } from '@tidings/domain'
import { defineProjection, defineTable } from '@tidings/projections'
import type { SmsRecipientRow } from '@tidings/read-models'

/** No index on what changes with every message: the time and the message. */
const smsRecipients = defineTable<SmsRecipientRow<string>>({
  name: 'sms_recipients',
  columns: {
    workspace_id: 'uuid',
    contact_id: 'uuid',
    sender_key: 'text',
    sender: 'text',
    phone: 'text',
    last_at: 'timestamptz',
    message_id: 'uuid',
  },
  key: ['workspace_id', 'contact_id', 'sender_key'],
  // For replies, which name two numbers and no workspace.
  indices: [{ name: 'phone', on: 'phone, sender_key' }],
  cachedRows: 10_000,
  fillfactor: 80,
})

/** Through which sender each contact was last written to: a reply belongs to the workspace of the newest row (N188). */
export const smsRecipientsProjection = defineProjection<SmsAccepted>({
  name: 'sms_recipients',
  version: 2,
  tables: [smsRecipients],
  reads: () => [],
  on: {
    SmsAccepted: ({ data: { messageId, contactId, from, to }, meta: { workspaceId, at }, erased }, rows) => {
      if (erased) return
      rows.put(smsRecipients, {
        workspace_id: workspaceId,
        contact_id: contactId,
        sender_key: smsSenderKey(from),
        sender: from,
        phone: to,
        last_at: at,
        message_id: messageId,
      })
    },
  },
})
