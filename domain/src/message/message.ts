import { asMessageId, type ContactId, type MessageId, type WorkspaceId } from '../ids.ts'
import { type Decider, Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'
import type { FailureReason, MessageCampaign, MessageChannel, MessageEvent, MessageReceiptIgnored } from './message.events.ts'
import type { ConfirmSent, MessageCommand, ReaddressMessage, RecordPushAttempt, RecordSent } from './message-commands.ts'

export type MessageStatus = 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed' | 'suppressed' | 'skipped'
type Receipt = MessageReceiptIgnored['data']['receipt']
/** Kinds of receipt, each kept once: a soft bounce says nothing about the address, a hard one does. */
type ReceiptKind = Receipt | 'soft bounce'

export function receiptKind({ receipt, facts }: Pick<MessageReceiptIgnored['data'], 'receipt' | 'facts'>): ReceiptKind {
  return receipt === 'bounced' && facts?.hard === false ? 'soft bounce' : receipt
}

/**
 * Every move of the status (N171). A receipt may arrive before the provider's answer, hence the moves out of `queued`;
 * no move leads back, and a status without moves is final.
 */
const moves: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  queued: ['sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed', 'skipped'],
  sent: ['delivered', 'bounced', 'complained', 'failed'],
  delivered: ['bounced', 'complained'],
  bounced: ['complained'],
  complained: [],
  failed: [],
  suppressed: [],
  skipped: [],
}

const mayMove = (from: MessageStatus, to: MessageStatus): boolean => moves[from].includes(to)

export type MessageState = Readonly<{
  status: MessageStatus | 'none'
  messageId: MessageId
  /** Null for a passcode. */
  contactId: ContactId | null
  channel: MessageChannel
  /** Null for one that is of none. */
  campaign: MessageCampaign | null
  /** Null for a push, and once the recipient is erased. */
  to: string | null
  /** Those that it was for before, which it was readdressed from; null once the recipient is erased. */
  earlier: readonly (string | null)[]
  failureReason: FailureReason | null
  providerMessageId: string | null
  /** It was sent to the provider once, and the answer is missing. */
  unconfirmed: boolean
  /** Hashes of the endpoints at which a push is still tried. Null until an attempt says which. */
  waiting: readonly string[] | null
  /** Kinds of receipt that were kept without changing the status: each is kept once for each address, so that a stream stays short. */
  ignored: readonly string[]
}>

const unknownMessage: MessageState = {
  status: 'none',
  messageId: asMessageId(''),
  contactId: null,
  channel: 'email',
  campaign: null,
  to: null,
  earlier: [],
  failureReason: null,
  providerMessageId: null,
  unconfirmed: false,
  waiting: null,
  ignored: [],
}

/** A message's own stream: `message-<workspaceId>-<messageId>`. */
export function messageStream(workspaceId: WorkspaceId, messageId: MessageId): string {
  return `message-${workspaceId}-${messageId}`
}

type OfMessage = Readonly<{ messageId: MessageId; contactId: ContactId | null; channel: MessageChannel; campaign?: MessageCampaign }>

const decide = (command: MessageCommand, state: MessageState): readonly MessageEvent[] => {
  if (command.type === 'AcceptEmail') {
    return state.status === 'none' ? [{ type: 'EmailAccepted', data: { ...command.data, channel: 'email' } }] : []
  }
  if (command.type === 'AcceptSms') {
    return state.status === 'none' ? [{ type: 'SmsAccepted', data: { ...command.data, channel: 'sms' } }] : []
  }
  if (command.type === 'AcceptPush') {
    return state.status === 'none' ? [{ type: 'PushAccepted', data: { ...command.data, channel: 'push' } }] : []
  }
  if (command.type === 'AcceptPasscode') {
    return state.status === 'none' ? [{ type: 'PasscodeAccepted', data: { ...command.data, contactId: null } }] : []
  }
  if (state.status === 'none') throw new Refused('message_not_found')
  const { messageId, contactId, channel, campaign } = state
  const of: OfMessage = { messageId, contactId, channel, ...(campaign && { campaign }) }
  switch (command.type) {
    case 'ReaddressMessage':
      return readdressed(state, command.data)
    case 'RecordSent':
      return sent(of, state, command.data)
    case 'RecordPushAttempt':
      return pushAttempted(of, state, command.data)
    case 'ConfirmSent':
      return state.contactId === null ? [] : confirmed(of, state, command.data)
    case 'RecordUnconfirmed':
      return state.status === 'queued' && !state.unconfirmed ? [{ type: 'MessageUnconfirmed', data: { ...of, ...command.data } }] : []
    case 'RecordDelivered':
      return received(of, state, { type: 'MessageDelivered', data: of }, command.data)
    case 'RecordBounced': {
      const { named, ...facts } = command.data
      return received(of, state, { type: 'MessageBounced', data: { ...of, ...facts } }, { named, facts })
    }
    case 'RecordComplained':
      return received(of, state, { type: 'MessageComplained', data: of }, {})
    case 'RecordFailed': {
      const { named, ...facts } = command.data
      return received(of, state, { type: 'MessageFailed', data: { ...of, ...facts } }, { named, facts })
    }
    case 'RecordSuppressed':
      return mayMove(state.status, 'suppressed') ? [{ type: 'MessageSuppressed', data: { ...of, ...command.data } }] : []
    case 'RecordSkipped':
      return mayMove(state.status, 'skipped') ? [{ type: 'MessageSkipped', data: { ...of, ...command.data } }] : []
    default:
      return command satisfies never
  }
}

const sent = (of: OfMessage, state: MessageState, data: RecordSent['data']): readonly MessageEvent[] =>
  state.providerMessageId !== null || isRefused(state.status) ? [] : [{ type: 'MessageSent', data: { ...of, ...data } }]

const pushAttempted = (of: OfMessage, state: MessageState, attempted: RecordPushAttempt['data']): readonly MessageEvent[] => {
  const { messageId, contactId } = of
  if (contactId === null || !isToSend(state)) return []
  const { accepted, refused, waiting, provider, providerMessageId } = attempted
  if (sameJson(waiting, state.waiting)) return []
  const said: MessageEvent = { type: 'PushAttempted', data: { messageId, contactId, channel: 'push', accepted, refused, waiting } }
  return providerMessageId === null ? [said] : [said, ...sent(of, state, { provider, providerMessageId })]
}

const readdressed = (
  { status, messageId, contactId, channel, to }: MessageState,
  data: ReaddressMessage['data'],
): readonly MessageEvent[] =>
  status !== 'queued' || contactId === null || to === data.to
    ? []
    : [{ type: 'MessageReaddressed', data: { messageId, contactId, channel, ...data } }]

const isRefused = (status: MessageState['status']): boolean => status === 'failed' || status === 'suppressed' || status === 'skipped'

type Moving = Extract<MessageEvent, { type: 'MessageDelivered' | 'MessageBounced' | 'MessageComplained' | 'MessageFailed' }>
const RECEIPTS = {
  MessageDelivered: 'delivered',
  MessageBounced: 'bounced',
  MessageComplained: 'complained',
  MessageFailed: 'failed',
} as const
type Report = Readonly<{ named?: readonly string[] | undefined; facts?: MessageReceiptIgnored['data']['facts'] }>

/** Decides what follows a receipt: it moves the status, or is kept with the provider's facts, as evidence, although the status does not change. */
const received = (of: OfMessage, state: MessageState, event: Moving, { named, facts = null }: Report): readonly MessageEvent[] => {
  const receipt = RECEIPTS[event.type]
  const address = earlierAddress(state, named)
  if (address === null && state.status !== 'none' && mayMove(state.status, receipt)) return [event]
  const data = { ...of, receipt, facts, ...(address !== null && { address }) }
  return state.ignored.includes(ignoredAs(data)) ? [] : [{ type: 'MessageReceiptIgnored', data }]
}

const ignoredAs = (data: MessageReceiptIgnored['data']): string =>
  data.address === undefined ? receiptKind(data) : `${receiptKind(data)} ${data.address}`

/** A process that died may have handed it over before it was readdressed: what is said of that address is nothing to the one that it is for now. */
const confirmed = (of: OfMessage, state: MessageState, { named, ...data }: ConfirmSent['data']): readonly MessageEvent[] =>
  earlierAddress(state, named) === null ? sent(of, state, data) : []

/** The newest of the addresses before that the report names; null where it names the one that the message is for, or none. */
const earlierAddress = ({ to, earlier }: MessageState, named: readonly string[] | undefined): number | null => {
  if (named === undefined || (to !== null && named.includes(to))) return null
  const at = earlier.findLastIndex((address) => address !== null && named.includes(address))
  return at < 0 ? null : at
}

const evolve = (state: MessageState, event: MessageEvent): MessageState => {
  switch (event.type) {
    case 'EmailAccepted':
    case 'SmsAccepted':
    case 'PasscodeAccepted': {
      const { messageId, contactId, channel, to } = event.data
      const campaign = 'campaign' in event.data ? (event.data.campaign ?? null) : null
      return { ...state, status: 'queued', messageId, contactId, channel, campaign, to }
    }
    case 'PushAccepted': {
      const { messageId, contactId, channel } = event.data
      return { ...state, status: 'queued', messageId, contactId, channel }
    }
    case 'MessageReaddressed':
      return { ...state, to: event.data.to, earlier: [...state.earlier, state.to] }
    case 'PushAttempted':
      return { ...state, waiting: event.data.waiting }
    case 'MessageSent':
      // A receipt may have arrived first: then only the provider's id is new.
      return { ...state, status: state.status === 'queued' ? 'sent' : state.status, providerMessageId: event.data.providerMessageId }
    case 'MessageDelivered':
      return { ...state, status: 'delivered' }
    case 'MessageBounced':
      return { ...state, status: 'bounced', failureReason: event.data.reason }
    case 'MessageComplained':
      return { ...state, status: 'complained', failureReason: 'spam_complaint' }
    case 'MessageFailed':
      return { ...state, status: 'failed', failureReason: event.data.reason }
    case 'MessageSuppressed':
      return { ...state, status: 'suppressed', failureReason: event.data.reason }
    case 'MessageSkipped':
      return { ...state, status: 'skipped', failureReason: event.data.reason }
    case 'MessageUnconfirmed':
      return { ...state, unconfirmed: true }
    case 'MessageReceiptIgnored':
      return { ...state, ignored: [...state.ignored, ignoredAs(event.data)] }
    case 'EmailOpened':
    case 'EmailClicked':
    case 'PushClicked':
      // Folded in engagement.ts: they change no status (N171).
      return state
    default:
      return event satisfies never
  }
}

/** Whether something is left to do for its lane: it is queued, or some browsers of a push have not answered for good. */
export function isToSend({ status, waiting }: MessageState): boolean {
  if (status === 'queued') return true
  return (status === 'sent' || status === 'delivered') && waiting !== null && waiting.length > 0
}

/** One message to one person, from acceptance to its last receipt (N171). */
export const message: Decider<MessageCommand, MessageEvent, MessageState> = { decide, evolve, initialState: unknownMessage }

/**
 * Every address that a message was for, in their order: the one that it was accepted for, and those that it was readdressed to (M45), which may be
 * one more than once. Null where a person is erased; none of a push. A report about the message is compared with all of them.
 */
export function addressesOf(events: readonly MessageEvent[]): readonly (string | null)[] {
  return events.flatMap(({ data }) => ('to' in data ? [data.to] : []))
}
