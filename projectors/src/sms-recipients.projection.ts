import {
  type MessageDelivered,
  type MessageFailed,
  type MessageReaddressed,
  type MessageSent,
  type MessageSkipped,
  type MessageSuppressed,
  type MessageUnconfirmed,
  type SmsAccepted,
  smsSenderKey,
  type WorkspaceId,
} from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import type { SmsRecipientRow, WaitingTextRow } from '@tidings/read-models'
import { type Erasure, isErasure, rowsOfContact } from './erasure.ts'

type TextOutcome = MessageSent | MessageDelivered | MessageUnconfirmed | MessageFailed | MessageSuppressed | MessageSkipped

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
  // This index is for replies, which name two numbers and no workspace.
  indices: [{ name: 'phone', on: 'phone, sender_key' }],
  cachedRows: 10_000,
  fillfactor: 80,
})

/** A row lives from a text's acceptance to its first outcome. */
const waitingTexts = defineTable<WaitingTextRow<string>>({
  name: 'waiting_texts',
  columns: {
    workspace_id: 'uuid',
    message_id: 'uuid',
    contact_id: 'uuid',
    sender_key: 'text',
    sender: 'text',
    phone: 'text',
    accepted_at: 'timestamptz',
  },
  key: ['workspace_id', 'message_id'],
  indices: [
    { name: 'phone', on: 'phone, sender_key' },
    { name: 'contact', on: 'workspace_id, contact_id' },
  ],
  cachedRows: 10_000,
})

/**
 * The sender through which each contact was last written to: a reply belongs to the workspace of the newest row (N188). A text that may have left
 * counts as written; one that was suppressed, skipped or refused does not. An erased person was never written to.
 */
export const smsRecipientsProjection = defineProjection<SmsAccepted | MessageReaddressed | TextOutcome | Erasure>({
  name: 'sms_recipients',
  version: 4,
  tables: [smsRecipients, waitingTexts],
  personal: ['SmsAccepted', 'MessageReaddressed'],
  reads: (event) => {
    if (isErasure(event)) return [rowsOfContact(smsRecipients, event), rowsOfContact(waitingTexts, event)]
    const { type, data, meta } = event
    return type === 'SmsAccepted' || data.channel !== 'sms' ? [] : [row(waitingTexts, meta.workspaceId, data.messageId)]
  },
  on: {
    SmsAccepted: ({ data: { messageId, contactId, from, to }, meta: { workspaceId, at }, erased }, rows) => {
      if (erased) return
      rows.create(waitingTexts, {
        workspace_id: workspaceId,
        message_id: messageId,
        contact_id: contactId,
        sender_key: smsSenderKey(from),
        sender: from,
        phone: to,
        accepted_at: at,
      })
    },
    MessageReaddressed: ({ data: { messageId, channel, to }, meta: { workspaceId }, erased }, rows) => {
      const waiting = channel === 'sms' && !erased ? rows.get(waitingTexts, workspaceId, messageId) : undefined
      if (waiting !== undefined) rows.put(waitingTexts, { ...waiting, phone: to })
    },
    MessageSent: writeTo,
    MessageDelivered: writeTo,
    MessageUnconfirmed: writeTo,
    MessageFailed: forget,
    MessageSuppressed: forget,
    MessageSkipped: forget,
    ContactErasureRequested: erase,
    ContactErased: erase,
  },
})

type EventOfText = Readonly<{ data: TextOutcome['data']; meta: Readonly<{ workspaceId: WorkspaceId; at: string }> }>

function writeTo(event: EventOfText, rows: Rows): void {
  const waiting = forget(event, rows)
  if (waiting === undefined) return
  const { accepted_at: _, ...recipient } = waiting
  rows.put(smsRecipients, { ...recipient, last_at: event.meta.at })
}

function erase(event: Erasure & Readonly<{ meta: EventOfText['meta'] }>, rows: Rows): void {
  rows.deleteAll(rowsOfContact(smsRecipients, event))
  rows.deleteAll(rowsOfContact(waitingTexts, event))
}

/** The row that there was. */
function forget({ data, meta: { workspaceId } }: EventOfText, rows: Rows): WaitingTextRow<string> | undefined {
  if (data.channel !== 'sms') return undefined
  const waiting = rows.get(waitingTexts, workspaceId, data.messageId)
  if (waiting !== undefined) rows.delete(waitingTexts, workspaceId, data.messageId)
  return waiting
}
