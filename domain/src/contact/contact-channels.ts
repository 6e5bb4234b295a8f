import { ADDRESS_REASONS, type AddressFacts, type AddressReason, noFacts } from '../claim/claim.ts'
import type { ContactId } from '../ids.ts'
import type { Command } from '../kernel.ts'
import type {
  ConsentChannel,
  ConsentStatus,
  ContactConsentRecorded,
  ContactEvent,
  SuppressionChannel,
  UnsubscribedBy,
} from './contact.events.ts'
import { type ContactBrowser, type ContactState, evolveContact } from './contact-state.ts'

/** When a statement was given that is recorded later, and how many of the channel were known then (M67). */
type GivenEarlier = Readonly<{ at: string; known: number }>

/** A person's consent on one channel, with the evidence: source, address, user agent, and the message that led to it, if one did. */
export type ConsentStatement = Readonly<{
  channel: ConsentChannel
  status: ConsentStatus
  source: string
  ip: string | null
  userAgent: string | null
  message?: UnsubscribedBy
  given?: GivenEarlier
}>

/** The data of a command about a contact. */
export type OfContact<Data> = Readonly<{ contactId: ContactId }> & Data

/** The outcome of a mail to `email`, with its consequences for the contact (N48, N171, N188). */
export type NoteEmailOutcome = Command<
  'NoteEmailOutcome',
  OfContact<{ email: string; outcome: 'delivered' | 'hard_bounce' | 'invalid_address' | 'spam_complaint' }>
>
/** The number can never be reached (N188). */
export type NoteSmsUnreachable = Command<'NoteSmsUnreachable', OfContact<{ phone: string }>>
/** The person at the number answered STOP or START to a message (N188). */
export type NoteSmsReply = Command<'NoteSmsReply', OfContact<{ phone: string; reply: 'stop' | 'start'; message: UnsubscribedBy | null }>>
/** A gateway refused the message, because the person asked it to stop (M49). */
export type NoteSmsOptOut = Command<'NoteSmsOptOut', OfContact<{ message: UnsubscribedBy }>>
/** A browser was registered for web push, and that is consent. `registration`: which one of the endpoint. */
export type AddBrowser = Command<'AddBrowser', OfContact<{ endpointHash: string; registration: number; consent: ConsentStatement }>>
/** `gone`: its push service says so (N188). `moved`: it was registered for another contact (N152). */
export type RemoveBrowser = Command<'RemoveBrowser', OfContact<{ endpointHash: string; registration: number; because: 'gone' | 'moved' }>>

/** Stands for a source that may name a person: what it says is encrypted, and ends with the key of the contact. */
export const SEALED_SOURCE = 'sealed'

const TOKEN = /^[A-Za-z0-9._-]{1,64}$/
/** Digits in a row, as a telephone number is written. */
const DIGITS = /[0-9](?:[._-]*[0-9])*/g
const NUMBER_DIGITS = 7
/** A day between 1900 and 2099, and a time of it. */
const DATE =
  /^(?:19|20)[0-9]{2}([._-]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12][0-9]|3[01])(?:[._-]?(?:[01][0-9]|2[0-3])(?:[._-]?[0-5][0-9]){1,2})?$/
/** Matches ids of this installation: they name no person to others. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** `alone`: nothing else is said. That is no date then, for all that is known. */
const isNumber = (digits: string, alone: boolean): boolean =>
  digits.replaceAll(/[._-]/g, '').length >= NUMBER_DIGITS && (alone || !DATE.test(digits))

/**
 * Whether a source names where a consent was given, as `checkout.newsletter`, and no person: a token of at most 64 letters, digits, `._-`, in
 * which nothing may be a telephone number. Digits alone are one, also where they could be a date.
 */
export function isSourceToken(source: string): boolean {
  if (!TOKEN.test(source)) return false
  const alone = /^[0-9._-]*$/.test(source)
  return !source
    .replaceAll(UUID, 'id')
    .match(DIGITS)
    ?.some((digits) => isNumber(digits, alone))
}

/** A source as the log keeps it. */
export function keptSource(source: string): Pick<ContactConsentRecorded['data'], 'source' | 'sourceText'> {
  return isSourceToken(source) ? { source } : { source: SEALED_SOURCE, sourceText: source }
}

/** The source as it was said; that it was sealed, where the contact was erased. */
export function saidSource({ source, sourceText }: ContactConsentRecorded['data']): string {
  return sourceText ?? source
}

/** When a statement was given: where nothing else is said, when it was recorded. */
export function saidAt({ data, meta }: Readonly<{ data: ContactConsentRecorded['data']; meta: Readonly<{ at: string }> }>): string {
  return data.givenAt ?? meta.at
}

/** The facts that may stay when the contact is erased. Versions before this one stored every source in clear. */
export function sourceWithoutPerson(source: string): string {
  return isSourceToken(source) ? source : SEALED_SOURCE
}

/**
 * Whether a statement that was given earlier changes anything: not where another was recorded since it was looked up, which is newer, and a yes not
 * while something is held against the channel (M67).
 */
const counts = ({ channel, status, given }: ConsentStatement, state: ContactState): boolean => {
  if (given === undefined) return true
  const isHeld = state.consents[channel] === 'cleaned' || (channel !== 'push' && state.suppressions[channel].length > 0)
  return state.statements[channel] === given.known && !(status === 'subscribed' && isHeld)
}

/** One event a statement that counts, each with the status before it. */
export function consentLines(contactId: ContactId, consents: readonly ConsentStatement[], state: ContactState): readonly ContactEvent[] {
  const lines: ContactEvent[] = []
  let now = state
  for (const consent of consents) {
    if (!counts(consent, now)) continue
    const { channel, status, source, ip, userAgent, message = null, given } = consent
    const line: ContactEvent = {
      type: 'ContactConsentRecorded',
      data: {
        contactId,
        channel,
        from: now.consents[channel],
        to: status,
        ...keptSource(source),
        ip,
        userAgent,
        message,
        ...(given && { givenAt: given.at }),
      },
    }
    now = evolveContact(now, line)
    lines.push(line)
  }
  return lines
}

/** Sources of a `cleaned` that came of the address, by channel (N188). */
const CLEANED_BY = { email: 'hard_bounce', sms: 'undeliverable' } as const

/** The facts that the contact's stream has about its address on the channel. */
export function factsOfAddress(state: ContactState, channel: SuppressionChannel): AddressFacts {
  if (channel === 'sms') return { ...noFacts, unreachable: state.cleanedFrom.sms !== null }
  return { reasons: addressReasons(state), validation: state.emailValidation, unreachable: false }
}

const addressReasons = ({ suppressions }: ContactState): readonly AddressReason[] =>
  ADDRESS_REASONS.filter((reason) => suppressions.email.includes(reason))

/** The changes when a contact gives up an address (M45): its consent is again what it was before the address was found to be bad. */
export function addressLeft(contactId: ContactId, channel: SuppressionChannel, state: ContactState): readonly ContactEvent[] {
  const { validation, reasons } = factsOfAddress(state, channel)
  const events: ContactEvent[] = []
  if (validation !== 'unknown') events.push({ type: 'ContactEmailValidated', data: { contactId, state: 'unknown' } })
  if (reasons.length > 0) events.push({ type: 'ContactSuppressionLifted', data: { contactId, channel, reasons } })
  const before = state.cleanedFrom[channel]
  if (before !== null) events.push(moved(contactId, { channel, from: 'cleaned', to: before, source: 'address_changed' }))
  return events
}

/** The changes when a contact takes an address with known facts, or when facts are found about its own. */
export function addressFactsApply(
  contactId: ContactId,
  { channel, facts }: Readonly<{ channel: SuppressionChannel; facts: AddressFacts }>,
  state: ContactState,
): readonly ContactEvent[] {
  const events: ContactEvent[] = []
  if (facts.validation !== 'unknown' && facts.validation !== state.emailValidation)
    events.push({ type: 'ContactEmailValidated', data: { contactId, state: facts.validation } })
  for (const reason of facts.reasons)
    if (!state.suppressions[channel].includes(reason)) events.push({ type: 'ContactSuppressed', data: { contactId, channel, reason } })
  const from = state.consents[channel]
  if ((facts.reasons.length > 0 || facts.unreachable) && from !== 'cleaned')
    events.push(moved(contactId, { channel, from, to: 'cleaned', source: CLEANED_BY[channel] }))
  return events
}

/** The events, and what they leave. */
export function followedBy(state: ContactState, events: readonly ContactEvent[]): ContactState {
  return events.reduce(evolveContact, state)
}

type Move = Pick<ContactConsentRecorded['data'], 'channel' | 'from' | 'to' | 'source'> &
  Partial<Pick<ContactConsentRecorded['data'], 'message'>>

/** A line of consent history that follows from something else than a statement. */
const moved = (contactId: ContactId, { message = null, ...move }: Move): ContactEvent => ({
  type: 'ContactConsentRecorded',
  data: { contactId, ...move, ip: null, userAgent: null, message },
})

/** The facts about the address that an outcome brings (N48, N171, N188); null for a complaint, which is the person's (M45). */
export const FACTS_OF_OUTCOME: Readonly<Record<NoteEmailOutcome['data']['outcome'], AddressFacts | null>> = {
  delivered: { ...noFacts, validation: 'valid' },
  hard_bounce: { ...noFacts, reasons: ['hard_bounce'] },
  invalid_address: { ...noFacts, reasons: ['invalid_address'], validation: 'invalid' },
  spam_complaint: null,
}

/** Facts about an address do not concern a contact that no longer has it; a complaint belongs to the person, with any address. */
export function emailOutcomeEvents({ contactId, email, outcome }: NoteEmailOutcome['data'], state: ContactState): readonly ContactEvent[] {
  const facts = FACTS_OF_OUTCOME[outcome]
  if (facts === null) return complained(contactId, state)
  return state.email === email ? addressFactsApply(contactId, { channel: 'email', facts }, state) : []
}

const complained = (contactId: ContactId, { consents, suppressions }: ContactState): readonly ContactEvent[] => {
  const events: ContactEvent[] = []
  if (!suppressions.email.includes('spam_complaint'))
    events.push({ type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'spam_complaint' } })
  const from = consents.email
  if (from !== 'unsubscribed') events.push(moved(contactId, { channel: 'email', from, to: 'unsubscribed', source: 'spam_complaint' }))
  return events
}

/** Cleans the SMS consent (N188). A number that the contact no longer has gives no event. */
export function smsUnreachableEvents({ contactId, phone }: NoteSmsUnreachable['data'], state: ContactState): readonly ContactEvent[] {
  if (state.phone !== phone || state.consents.sms === 'cleaned') return []
  return [moved(contactId, { channel: 'sms', from: state.consents.sms, to: 'cleaned', source: 'undeliverable' })]
}

/**
 * A repeated reply gives an event each time: each reply is a line of the consent history (M19). STOP suppresses too, and is the person's, whatever
 * number he has by now (M45); START is for the number, and lifts that suppression, where no other reason stands beside it.
 */
export function smsReplyEvents({ contactId, phone, reply, message }: NoteSmsReply['data'], state: ContactState): readonly ContactEvent[] {
  if (reply === 'stop') return stopped(contactId, state, message)
  if (state.phone !== phone) return []
  const reasons = state.suppressions.sms
  const said = moved(contactId, { channel: 'sms', from: state.consents.sms, to: 'subscribed', source: 'sms_start' })
  const isOnlyStop = reasons.length > 0 && reasons.every((reason) => reason === 'sms_stop')
  return isOnlyStop ? [said, { type: 'ContactSuppressionLifted', data: { contactId, channel: 'sms' } }] : [said]
}

/** Acts like STOP, but was sent to the gateway: it is recorded once, however often the gateway refuses. */
export function smsOptOutEvents({ contactId, message }: NoteSmsOptOut['data'], state: ContactState): readonly ContactEvent[] {
  const isKnown = state.consents.sms === 'unsubscribed' && state.suppressions.sms.includes('sms_stop')
  return isKnown ? [] : stopped(contactId, state, message)
}

const stopped = (contactId: ContactId, state: ContactState, message: UnsubscribedBy | null): readonly ContactEvent[] => {
  const said = moved(contactId, { channel: 'sms', from: state.consents.sms, to: 'unsubscribed', source: 'sms_stop', message })
  return state.suppressions.sms.includes('sms_stop')
    ? [said]
    : [said, { type: 'ContactSuppressed', data: { contactId, channel: 'sms', reason: 'sms_stop' } }]
}

const browserOf = ({ browsers }: ContactState, endpointHash: string): ContactBrowser | undefined =>
  browsers.find((browser) => browser.endpointHash === endpointHash)

/** The browser, and the consent that was given in it, which counts again with every registration (M19). */
export function browserAdded({ consent, ...added }: AddBrowser['data'], state: ContactState): readonly ContactEvent[] {
  const consented = consentLines(added.contactId, [consent], state)
  const known = browserOf(state, added.endpointHash)
  // Two registrations at once may arrive here in any order.
  return known !== undefined && known.registration >= added.registration
    ? consented
    : [{ type: 'ContactBrowserAdded', data: added }, ...consented]
}

/** Nothing where the browser has registered again since. With the last one that is gone goes the consent (N188); one that moved takes none along. */
export function browserRemoved(
  { contactId, endpointHash, registration, because }: RemoveBrowser['data'],
  state: ContactState,
): readonly ContactEvent[] {
  if (browserOf(state, endpointHash)?.registration !== registration) return []
  const removed: ContactEvent = { type: 'ContactBrowserRemoved', data: { contactId, endpointHash } }
  if (because === 'moved' || state.browsers.length > 1 || state.consents.push === 'cleaned') return [removed]
  const cleaned = { channel: 'push', status: 'cleaned', source: 'push_endpoint_gone', ip: null, userAgent: null } as const
  return [removed, ...consentLines(contactId, [cleaned], state)]
}
