import { emailKey } from '@tidings/addresses'
import { isoNow } from '@tidings/async/clock'
import { type EventLog, SubjectErased } from '@tidings/codec'
import {
  type ContactId,
  type EmailAccepted,
  type MessageCommand,
  message,
  messageStream,
  type SmsAccepted,
  type WorkspaceId,
} from '@tidings/domain'
import { WrongExpectedRevision } from '@tidings/event-store'
import type { Deferral } from '@tidings/jobs'
import type { Recipient } from '../views/recipient-view.ts'
import type { Block } from './call-provider.ts'
import type { MessageHistory } from './history.ts'

type Addressed = EmailAccepted | SmsAccepted
type Sent = Addressed['data']

const ADDRESS_GONE: MessageCommand = {
  type: 'RecordFailed',
  data: { reason: 'address_changed', detail: 'The contact that the request named has no such address any more.' },
}
/** Nothing was tried: the next attempt builds the message for the other address. */
const READDRESS: Deferral = { type: 'Deferred', inMs: 0, counts: false, deferredFor: 'address_changed' }

/** What the contact has on the message's channel. */
const ofContact = ({ channel }: Sent, { email, phone }: Recipient): string | null => (channel === 'email' ? email : phone)

/** Compares addresses in any spelling: a log from before M46 may spell them otherwise than its messages do. */
const isSame = ({ channel }: Sent, one: string, other: string): boolean =>
  one === other || (channel === 'email' && emailKey(one) === emailKey(other))

/** Whether the contact has given up the address that the message was accepted for, which may be somebody else's by now (M45). */
export function hasMoved(data: Sent, recipient: Recipient): boolean {
  const now = ofContact(data, recipient)
  return now === null || !isSame(data, now, data.to)
}

/** Whether the message goes to the address that its contact has, whichever that is: its request named the contact, not the address. */
export function goesToContact({ recipient, kind }: Sent): boolean {
  return recipient === 'contact' && kind === 'transactional'
}

/** Keeps a message that goes to its contact from an address that the contact does not have. `to`: what it was built for; null before that. */
export function addressBlock(data: Sent, recipient: Recipient, to: string | null): Block | null {
  if (!goesToContact(data)) return null
  const now = ofContact(data, recipient)
  if (now === null) return ADDRESS_GONE
  return to === null || isSame(data, now, to) ? null : READDRESS
}

/**
 * A message that was handed over and whose answer is missing may have been taken: it stays with the address that it was handed over for, and is
 * judged like one whose request named that address. Sent once more, its receiver knows it again; at another address it would be a second one.
 */
export function addressInDoubt<A extends Addressed>(history: MessageHistory<A>): MessageHistory<A> {
  const { accepted, state } = history
  if (!state.unconfirmed || !goesToContact(accepted.data)) return history
  const data = { ...accepted.data, to: state.to ?? accepted.data.to }
  delete data.recipient
  return { ...history, accepted: Object.assign({}, accepted, { data }) }
}

type Readdressing = Readonly<{
  log: Pick<EventLog, 'append'>
  recipients: Readonly<{ find: (workspaceId: WorkspaceId, contactId: ContactId) => Recipient | Promise<Recipient> }>
}>

/** The history of a message that is about to be handed over, in which `state.to` is the address that it goes to. Puts a new one down first. */
export async function addressedHistory<A extends Addressed>(
  { log, recipients }: Readdressing,
  history: MessageHistory<A>,
): Promise<MessageHistory<A> | Block> {
  const { data, meta, id } = history.accepted
  if (!goesToContact(data)) return history
  const to = ofContact(data, await recipients.find(meta.workspaceId, data.contactId))
  if (to === null) return ADDRESS_GONE
  if (history.state.to !== null && isSame(data, to, history.state.to)) return history
  const events = message.decide({ type: 'ReaddressMessage', data: { to } }, history.state)
  const { workspaceId, requestId } = meta
  const commandId = `${data.messageId}:ReaddressMessage:${history.revision}`
  const context = { commandId, workspaceId, actor: 'pipeline', requestId, causationId: id, at: isoNow() }
  try {
    await log.append(messageStream(workspaceId, data.messageId), history.revision, events, context)
  } catch (error) {
    if (error instanceof SubjectErased) return ADDRESS_GONE
    if (error instanceof WrongExpectedRevision) return READDRESS
    throw error
  }
  return { ...history, state: events.reduce(message.evolve, history.state), revision: history.revision + events.length }
}
