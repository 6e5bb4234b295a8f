import type {
  ConsentChannel,
  ConsentStatus,
  ContactConsentRecorded,
  ContactId,
  EmailAccepted,
  EmailClicked,
  EmailOpened,
  MessageBounced,
  MessageChannel,
  MessageComplained,
  MessageDelivered,
  MessageEvent,
  MessageFailed,
  MessageId,
  MessageSent,
  MessageSkipped,
  MessageSuppressed,
  PasscodeAccepted,
  PushAccepted,
  SmsAccepted,
  WorkspaceId,
} from '@tidings/domain'
import { defineProjection, defineTable, type RowRef, type Rows, row } from '@tidings/projections'
import {
  type ClickedMessageRow,
  type ConsentHourRow,
  type ConsentTotalRow,
  type FigureKind,
  type FigureOutcome,
  hourOf,
  type MessageHourRow,
  type SaidConsentRow,
} from '@tidings/read-models'
import { type Erasure, isErasure } from '../erasure.ts'

const quarters = { q1: 'bigint', q2: 'bigint', q3: 'bigint', q4: 'bigint' } as const

/** A batch writes each of its rows once, however many messages it counts; room on the page makes that an update in place. */
const messageHours = defineTable<MessageHourRow>({
  name: 'message_hours',
  columns: { workspace_id: 'uuid', hour: 'integer', channel: 'text', kind: 'text', outcome: 'text', ...quarters },
  key: ['workspace_id', 'hour', 'channel', 'kind', 'outcome'],
  fillfactor: 50,
})

const clickedMessages = defineTable<ClickedMessageRow>({
  name: 'clicked_messages',
  columns: { workspace_id: 'uuid', message_id: 'uuid' },
  key: ['workspace_id', 'message_id'],
})

const consentHours = defineTable<ConsentHourRow>({
  name: 'consent_hours',
  columns: { workspace_id: 'uuid', hour: 'integer', channel: 'text', status: 'text', ...quarters },
  key: ['workspace_id', 'hour', 'channel', 'status'],
  fillfactor: 50,
})

const consentTotals = defineTable<ConsentTotalRow>({
  name: 'consent_totals',
  columns: { workspace_id: 'uuid', channel: 'text', status: 'text', contacts: 'bigint' },
  key: ['workspace_id', 'channel', 'status'],
  fillfactor: 50,
})

const saidConsents = defineTable<SaidConsentRow>({
  name: 'said_consents',
  columns: { workspace_id: 'uuid', contact_id: 'uuid', channel: 'text', status: 'text' },
  key: ['workspace_id', 'contact_id', 'channel'],
})

type PushClicked = Extract<MessageEvent, { type: 'PushClicked' }>
type Clicked = EmailClicked | PushClicked
type Accepted = EmailAccepted | SmsAccepted | PushAccepted | PasscodeAccepted
type Ended = MessageBounced | MessageComplained | MessageFailed | MessageSuppressed | MessageSkipped
type Counted = Accepted | MessageSent | MessageDelivered | Ended | EmailOpened | Clicked
type CountedEvent = Counted | ContactConsentRecorded | Erasure

type Meta = Readonly<{ meta: Readonly<{ workspaceId: WorkspaceId; at: string }> }>
type OfMessage = Readonly<{ messageId: MessageId; contactId: ContactId | null; channel: MessageChannel; campaign?: object }>

const OUTCOMES: { readonly [Type in Counted['type']]: FigureOutcome } = {
  EmailAccepted: 'accepted',
  SmsAccepted: 'accepted',
  PushAccepted: 'accepted',
  PasscodeAccepted: 'accepted',
  MessageSent: 'sent',
  MessageDelivered: 'delivered',
  MessageBounced: 'bounced',
  MessageComplained: 'complained',
  MessageFailed: 'failed',
  MessageSuppressed: 'suppressed',
  MessageSkipped: 'skipped',
  EmailOpened: 'opened',
  EmailClicked: 'clicked',
  PushClicked: 'clicked',
}

const NONE = { q1: 0n, q2: 0n, q3: 0n, q4: 0n } as const

const CHANNELS: readonly ConsentChannel[] = ['email', 'sms', 'push']

/** By the event alone: a look at the message would cost a row a message. */
const kindOf = ({ contactId, campaign }: OfMessage): FigureKind => (campaign ? 'campaign' : contactId === null ? 'passcode' : 'single')

const isOfContact = (event: CountedEvent & Meta): event is (ContactConsentRecorded | Erasure) & Meta =>
  event.type === 'ContactConsentRecorded' || isErasure(event)

const hourRow = ({ type, data, meta }: Counted & Meta, hour: number): RowRef =>
  row(messageHours, meta.workspaceId, String(hour), data.channel, kindOf(data), OUTCOMES[type])

const countMessage = (event: Counted & Meta, rows: Rows): void => {
  const { workspaceId, at } = event.meta
  const { channel } = event.data
  const { hour, quarter } = hourOf(at)
  const [kind, outcome] = [kindOf(event.data), OUTCOMES[event.type]]
  const known = rows.get(messageHours, ...hourRow(event, hour).key) ?? { workspace_id: workspaceId, hour, channel, kind, outcome, ...NONE }
  rows.put(messageHours, { ...known, [quarter]: known[quarter] + 1n })
}

/** Its decider lets the first open of the person be recorded once a message, and one of a machine beside it. */
const countOpen = (event: EmailOpened & Meta, rows: Rows): void => {
  if (!event.data.machine) countMessage(event, rows)
}

/** Every click of the person is recorded: the first of a message counts. */
const countClick = (event: Clicked & Meta, rows: Rows): void => {
  const { machine, messageId } = event.data
  const { workspaceId } = event.meta
  if (machine || rows.get(clickedMessages, workspaceId, messageId) !== undefined) return
  rows.put(clickedMessages, { workspace_id: workspaceId, message_id: messageId })
  countMessage(event, rows)
}

type Statement = Readonly<{ workspaceId: WorkspaceId; at: string; channel: ConsentChannel; status: ConsentStatus }>

/** A contact that never said anything is not counted. */
const isCounted = (status: ConsentStatus): boolean => status !== 'never_subscribed'

const consentRows = ({ workspaceId, at, channel, status }: Statement): readonly RowRef[] => [
  row(consentHours, workspaceId, String(hourOf(at).hour), channel, status),
  row(consentTotals, workspaceId, channel, status),
]

const countConsent = (rows: Rows, { workspaceId, at, channel, status }: Statement, by: 1n | -1n): void => {
  if (!isCounted(status)) return
  const { hour, quarter } = hourOf(at)
  const none = { workspace_id: workspaceId, hour, channel, status, ...NONE }
  const known = rows.get(consentHours, workspaceId, String(hour), channel, status) ?? none
  rows.put(consentHours, { ...known, [quarter]: known[quarter] + by })
  const contacts = (rows.get(consentTotals, workspaceId, channel, status)?.contacts ?? 0n) + by
  rows.put(consentTotals, { workspace_id: workspaceId, channel, status, contacts })
}

const STATUSES: readonly ConsentStatus[] = ['subscribed', 'unsubscribed', 'cleaned']

/** By when the statement was recorded (and not by when it was given): so what was counted before never changes. */
const recordConsent = ({ data, meta: { workspaceId, at } }: ContactConsentRecorded & Meta, rows: Rows): void => {
  const { contactId, channel, to } = data
  const said = rows.get(saidConsents, workspaceId, contactId, channel)
  if (said?.status === to || (said === undefined && !isCounted(to))) return
  const statement = { workspaceId, at, channel }
  if (said !== undefined) countConsent(rows, { ...statement, status: said.status }, -1n)
  if (isCounted(to)) rows.put(saidConsents, { workspace_id: workspaceId, contact_id: contactId, channel, status: to })
  else rows.delete(saidConsents, workspaceId, contactId, channel)
  countConsent(rows, { ...statement, status: to }, 1n)
}

/** An erased person leaves what they had said: the totals stay those of the people that there are. */
const leave = ({ data: { contactId }, meta: { workspaceId, at } }: Erasure & Meta, rows: Rows): void => {
  for (const channel of CHANNELS) {
    const said = rows.get(saidConsents, workspaceId, contactId, channel)
    if (said === undefined) continue
    rows.delete(saidConsents, workspaceId, contactId, channel)
    countConsent(rows, { workspaceId, at, channel, status: said.status }, -1n)
  }
}

const reads = (event: CountedEvent & Meta): readonly RowRef[] => {
  const { workspaceId, at } = event.meta
  if (isOfContact(event)) {
    const { contactId } = event.data
    const channels = event.type === 'ContactConsentRecorded' ? [event.data.channel] : CHANNELS
    // What the contact had said is not known here: it may be any status.
    return channels.flatMap((channel) => [
      row(saidConsents, workspaceId, contactId, channel),
      ...STATUSES.flatMap((status) => consentRows({ workspaceId, at, channel, status })),
    ])
  }
  if ('machine' in event.data && event.data.machine) return []
  const isClick = event.type === 'EmailClicked' || event.type === 'PushClicked'
  const counted = hourRow(event, hourOf(at).hour)
  return isClick ? [counted, row(clickedMessages, workspaceId, event.data.messageId)] : [counted]
}

/** What the overview counts of each hour: outcomes of messages, and who came to which consent. It holds no personal field and reads none. */
export const figuresProjection = defineProjection<CountedEvent>({
  name: 'figures',
  version: 1,
  tables: [messageHours, clickedMessages, consentHours, consentTotals, saidConsents],
  personal: [],
  isPatient: () => true,
  reads,
  on: {
    EmailAccepted: countMessage,
    SmsAccepted: countMessage,
    PushAccepted: countMessage,
    PasscodeAccepted: countMessage,
    MessageSent: countMessage,
    MessageDelivered: countMessage,
    MessageBounced: countMessage,
    MessageComplained: countMessage,
    MessageFailed: countMessage,
    MessageSuppressed: countMessage,
    MessageSkipped: countMessage,
    EmailOpened: countOpen,
    EmailClicked: countClick,
    PushClicked: countClick,
    ContactConsentRecorded: recordConsent,
    ContactErasureRequested: leave,
    ContactErased: leave,
  },
})
