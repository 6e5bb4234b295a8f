import { ADDRESS_REASONS, type AddressFacts, type AddressReason, noFacts } from '../claim/address-facts.ts'
import type { ContactEvent, SuppressionChannel } from './contact.events.ts'
import { type ContactState, evolveContact } from './contact-state.ts'

/** Sources of a `cleaned` that came of the address, by channel (N188). */
const CLEANED_BY = { email: 'hard_bounce', sms: 'undeliverable' } as const

/** What the contact's stream says of the address that it has on the channel. */
export function factsOfAddress(state: ContactState, channel: SuppressionChannel): AddressFacts {
  if (channel === 'sms') return { ...noFacts, unreachable: state.cleanedFrom.sms !== null }
  return { reasons: addressReasons(state), validation: state.emailValidation, unreachable: false }
}

const addressReasons = ({ suppressions }: ContactState): readonly AddressReason[] =>
  ADDRESS_REASONS.filter((reason) => suppressions.email.includes(reason))

/** The changes when a contact gives up an address (M45): its consent is again what it was before the address was found to be bad. */
export function addressLeft(contactId: string, channel: SuppressionChannel, state: ContactState): readonly ContactEvent[] {
  const { validation, reasons } = factsOfAddress(state, channel)
  const events: ContactEvent[] = []
  if (validation !== 'unknown') events.push({ type: 'ContactEmailValidated', data: { contactId, state: 'unknown' } })
  if (reasons.length > 0) events.push({ type: 'ContactSuppressionLifted', data: { contactId, channel, reasons } })
  const before = state.cleanedFrom[channel]
  if (before !== null) events.push(consent(contactId, channel, { from: 'cleaned', to: before, source: 'address_changed' }))
  return events
}

/** The changes when a contact takes an address with known facts, or when facts are found about its own. */
export function addressFactsHold(
  contactId: string,
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
    events.push(consent(contactId, channel, { from, to: 'cleaned', source: CLEANED_BY[channel] }))
  return events
}

/** The events, and what they leave. */
export function followedBy(state: ContactState, events: readonly ContactEvent[]): ContactState {
  return events.reduce(evolveContact, state)
}

type Move = Pick<Extract<ContactEvent, { type: 'ContactConsentRecorded' }>['data'], 'from' | 'to' | 'source'>

const consent = (contactId: string, channel: SuppressionChannel, move: Move): ContactEvent => ({
  type: 'ContactConsentRecorded',
  data: { contactId, channel, ...move, ip: null, userAgent: null, message: null },
})
