import { defineTable } from '@tidings/projections'
import type { ClickedMessageRow, ConsentHourRow, ConsentTotalRow, MessageHourRow, SaidConsentRow } from '@tidings/read-models'

const quarters = { q1: 'bigint', q2: 'bigint', q3: 'bigint', q4: 'bigint' } as const

/** A batch writes each of its rows once, however many messages it counts; room on the page makes that an update in place. */
export const messageHours = defineTable<MessageHourRow>({
  name: 'message_hours',
  columns: { workspace_id: 'uuid', hour: 'integer', channel: 'text', kind: 'text', outcome: 'text', ...quarters },
  key: ['workspace_id', 'hour', 'channel', 'kind', 'outcome'],
  fillfactor: 50,
})

export const clickedMessages = defineTable<ClickedMessageRow>({
  name: 'clicked_messages',
  columns: { workspace_id: 'uuid', message_id: 'uuid' },
  key: ['workspace_id', 'message_id'],
})

export const consentHours = defineTable<ConsentHourRow>({
  name: 'consent_hours',
  columns: { workspace_id: 'uuid', hour: 'integer', channel: 'text', status: 'text', ...quarters },
  key: ['workspace_id', 'hour', 'channel', 'status'],
  fillfactor: 50,
})

export const consentTotals = defineTable<ConsentTotalRow>({
  name: 'consent_totals',
  columns: { workspace_id: 'uuid', channel: 'text', status: 'text', contacts: 'bigint' },
  key: ['workspace_id', 'channel', 'status'],
  fillfactor: 50,
})

export const saidConsents = defineTable<SaidConsentRow>({
  name: 'said_consents',
  columns: { workspace_id: 'uuid', contact_id: 'uuid', channel: 'text', status: 'text' },
  key: ['workspace_id', 'contact_id', 'channel'],
})
