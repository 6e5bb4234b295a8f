import { type AddressFacts, noFacts } from '../claim/address-facts.ts'
import { addressFactsHold } from './address-changes.ts'
import type { ContactEvent } from './contact.events.ts'
import type { NoteEmailOutcome } from './contact-commands.ts'
import type { ContactState } from './contact-state.ts'

export type EmailOutcome = NoteEmailOutcome['data']['outcome']

/** What an outcome says of the address (N48, N171, N188); null for a complaint, which is the person's (M45). */
export const FACTS_OF_OUTCOME: Readonly<Record<EmailOutcome, AddressFacts | null>> = {
  delivered: { ...noFacts, validation: 'valid' },
  hard_bounce: { ...noFacts, reasons: ['hard_bounce'] },
  invalid_address: { ...noFacts, reasons: ['invalid_address'], validation: 'invalid' },
  spam_complaint: null,
}

/** Facts about an address do not concern a contact that no longer has it; a complaint belongs to the person, with any address. */
export function emailOutcomeEvents({ contactId, email, outcome }: NoteEmailOutcome['data'], state: ContactState): readonly ContactEvent[] {
  const facts = FACTS_OF_OUTCOME[outcome]
  if (facts === null) return complained(contactId, state)
  return state.email === email ? addressFactsHold(contactId, { channel: 'email', facts }, state) : []
}

const complained = (contactId: string, { consents, suppressions }: ContactState): readonly ContactEvent[] => {
  const events: ContactEvent[] = []
  if (!suppressions.email.includes('spam_complaint'))
    events.push({ type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'spam_complaint' } })
  const move = { from: consents.email, to: 'unsubscribed', source: 'spam_complaint' } as const
  if (move.from !== move.to)
    events.push({
      type: 'ContactConsentRecorded',
      data: { contactId, channel: 'email', ...move, ip: null, userAgent: null, message: null },
    })
  return events
}
