import {
  asFlowId,
  type EmailAccepted,
  type FailureReason,
  type FlowId,
  type MessageBounced,
  type MessageComplained,
  type MessageDelivered,
  type MessageEvent,
  type MessageFailed,
  type MessageId,
  type MessageSent,
  type MessageSkipped,
  type MessageStatus,
  type MessageSuppressed,
  type PasscodeAccepted,
  type PushAccepted,
  type SmsAccepted,
  type WorkspaceId,
} from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import type { MessageRow, MessageTotalRow, ProviderIdRow } from '@tidings/read-models'

type Accepted = EmailAccepted | SmsAccepted | PushAccepted | PasscodeAccepted
type MessageOutcome =
  | MessageSent
  | MessageDelivered
  | MessageBounced
  | MessageComplained
  | MessageFailed
  | MessageSuppressed
  | MessageSkipped
type Engagement = Extract<MessageEvent, { type: 'EmailOpened' | 'EmailClicked' | 'PushClicked' }>
type EventOfMessage = Readonly<{
  data: Readonly<{ messageId: MessageId }>
  meta: Readonly<{ workspaceId: WorkspaceId; at: string; actor: string }>
}>

/** No index on what changes: with room on the page an outcome is an update in place that touches no index. */
const messages = defineTable<MessageRow<string>>({
  name: 'messages',
  columns: {
    workspace_id: 'uuid',
    id: 'uuid',
    contact_id: 'uuid?',
    channel: 'text',
    status: 'text',
    failure_reason: 'text?',
    provider_message_id: 'text?',
    queued_at: 'timestamptz',
    sent_at: 'timestamptz?',
    delivered_at: 'timestamptz?',
    updated_at: 'timestamptz',
    kind: 'text',
    template_id: 'uuid?',
    campaign_id: 'uuid?',
    flow_id: 'uuid?',
    opened_at: 'timestamptz?',
    clicked_at: 'timestamptz?',
  },
  key: ['workspace_id', 'id'],
  indices: [
    { name: 'newest', on: 'workspace_id, queued_at, id' },
    { name: 'contact', on: 'workspace_id, contact_id, queued_at, id' },
    { name: 'campaign', on: 'workspace_id, campaign_id, queued_at, id', where: 'campaign_id is not null' },
    // This index is for receipts, which name a message and no workspace. New ids sort last: an insert touches one page.
    { name: 'id', on: 'id' },
  ],
  cachedRows: 10_000,
  fillfactor: 80,
})

const messageTotals = defineTable<MessageTotalRow>({
  name: 'message_totals',
  columns: { workspace_id: 'uuid', total: 'bigint' },
  key: ['workspace_id'],
  adds: ['total'],
  fillfactor: 50,
})

/**
 * The mails that a server has given a name of its own, by that name: receipts may use it. Our Message-ID names its message itself. A name may come
 * again: servers use theirs anew. This table is beside `messages`, which has no index on what changes: a row is written once.
 */
const providerIds = defineTable<ProviderIdRow<string>>({
  name: 'provider_ids',
  columns: { workspace_id: 'uuid', provider_message_id: 'text', message_id: 'uuid', sent_at: 'timestamptz' },
  // Receipts name no workspace: with the name first the key is the only index.
  key: ['provider_message_id', 'workspace_id', 'message_id'],
})

const ACCEPTED: ReadonlySet<string> = new Set([
  'EmailAccepted',
  'SmsAccepted',
  'PushAccepted',
  'PasscodeAccepted',
] satisfies Accepted['type'][])

/** The status record of every message. Its events were decided: what they say is simply so, in their order. */
export const messagesProjection = defineProjection<Accepted | MessageOutcome | Engagement>({
  name: 'messages',
  version: 4,
  byStream: 'message',
  tables: [messages, messageTotals, providerIds],
  personal: [],
  // No request waits for a message of a campaign: most are written once, as sent.
  isPatient: ({ data }) => 'campaign' in data && data.campaign !== undefined,
  reads: ({ type, data, meta: { workspaceId } }) =>
    ACCEPTED.has(type) ? [row(messageTotals, workspaceId)] : [row(messages, workspaceId, data.messageId)],
  on: {
    EmailAccepted: accept,
    SmsAccepted: accept,
    PushAccepted: accept,
    PasscodeAccepted: accept,

    // A receipt may have overtaken the provider's yes: then its id and time are news, the status is not.
    MessageSent: (event, rows) => {
      nameAsServer(event, rows)
      const known = find(event, rows)
      if (known === undefined) return
      const { at } = event.meta
      const sent = { ...known, provider_message_id: event.data.providerMessageId, sent_at: at }
      rows.put(messages, known.status === 'queued' ? { ...sent, status: 'sent', updated_at: at } : sent)
    },
    MessageDelivered: (event, rows) => {
      const known = find(event, rows)
      const { at } = event.meta
      if (known !== undefined) rows.put(messages, { ...known, status: 'delivered', delivered_at: at, updated_at: at })
    },
    MessageBounced: (event, rows) => fail(event, rows, { status: 'bounced', reason: event.data.reason }),
    MessageComplained: (event, rows) => fail(event, rows, { status: 'complained', reason: 'spam_complaint' }),
    MessageFailed: (event, rows) => fail(event, rows, { status: 'failed', reason: event.data.reason }),
    MessageSuppressed: (event, rows) => fail(event, rows, { status: 'suppressed', reason: event.data.reason }),
    MessageSkipped: (event, rows) => fail(event, rows, { status: 'skipped', reason: event.data.reason }),
    EmailOpened: (event, rows) => engage(event, rows, 'opened_at'),
    EmailClicked: (event, rows) => engage(event, rows, 'clicked_at'),
    PushClicked: (event, rows) => engage(event, rows, 'clicked_at'),
  },
})

function accept({ data, meta }: EventOfMessage & Readonly<{ data: Accepted['data'] }>, rows: Rows): void {
  const { messageId, contactId, channel } = data
  const { workspaceId, at } = meta
  rows.create(messages, {
    workspace_id: workspaceId,
    id: messageId,
    contact_id: contactId,
    channel,
    status: 'queued',
    failure_reason: null,
    provider_message_id: null,
    queued_at: at,
    sent_at: null,
    delivered_at: null,
    updated_at: at,
    ...('kind' in data ? { kind: data.kind, template_id: data.templateId } : { kind: 'passcode', template_id: null }),
    campaign_id: ('campaign' in data && data.campaign?.campaignId) || null,
    flow_id: flowOf(meta.actor),
    opened_at: null,
    clicked_at: null,
  })
  const total = (rows.get(messageTotals, workspaceId)?.total ?? 0n) + 1n
  rows.put(messageTotals, { workspace_id: workspaceId, total })
}

function nameAsServer({ data, meta: { workspaceId, at } }: EventOfMessage & Readonly<{ data: MessageSent['data'] }>, rows: Rows): void {
  const { channel, messageId, providerMessageId } = data
  if (channel !== 'email' || providerMessageId.includes(messageId)) return
  rows.put(providerIds, { workspace_id: workspaceId, provider_message_id: providerMessageId, message_id: messageId, sent_at: at })
}

/** The flow that asked for the message, as its actor. */
const flowOf = (actor: string): FlowId | null => (actor.startsWith('flow:') ? asFlowId(actor.slice('flow:'.length)) : null)

/** The first time; what machines did is none (M6). */
const engage = (event: EventOfMessage & Readonly<{ data: Engagement['data'] }>, rows: Rows, column: 'opened_at' | 'clicked_at'): void => {
  const known = event.data.machine ? undefined : find(event, rows)
  if (known?.[column] === null) rows.put(messages, { ...known, [column]: event.meta.at })
}

const find = ({ data, meta }: EventOfMessage, rows: Rows): MessageRow<string> | undefined =>
  rows.get(messages, meta.workspaceId, data.messageId)

const fail = (event: EventOfMessage, rows: Rows, { status, reason }: Readonly<{ status: MessageStatus; reason: FailureReason }>): void => {
  const known = find(event, rows)
  if (known !== undefined) rows.put(messages, { ...known, status, failure_reason: reason, updated_at: event.meta.at })
}
