import type { ConsentStatus, ContactEvent, EmailValidationState, SuppressionReason } from './contact.events.ts'
import type { NoteEmailOutcome } from './contact-commands.ts'
import type { ContactState } from './contact-state.ts'

type Consequence = Readonly<{ validation?: EmailValidationState; suppress?: SuppressionReason; consent?: ConsentStatus }>

/** Rules N48 (validation), N171 (suppression), N188 (consent). */
const consequences: Readonly<Record<NoteEmailOutcome['data']['outcome'], Consequence>> = {
  delivered: { validation: 'valid' },
  hard_bounce: { suppress: 'hard_bounce', consent: 'cleaned' },
  invalid_address: { validation: 'invalid', suppress: 'invalid_address', consent: 'cleaned' },
  spam_complaint: { suppress: 'spam_complaint', consent: 'unsubscribed' },
}

/** Nothing for an address that the contact no longer has. */
export function emailOutcomeEvents({ contactId, email, outcome }: NoteEmailOutcome['data'], state: ContactState) {
  const events: ContactEvent[] = []
  if (state.email !== email) return events
  const { validation, suppress, consent } = consequences[outcome]
  if (validation && state.emailValidation !== validation) {
    events.push({ type: 'ContactEmailValidated', data: { contactId, state: validation } })
  }
  if (suppress && !state.suppressions.email.includes(suppress)) {
    events.push({ type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: suppress } })
  }
  const from = state.consents.email
  if (consent && from !== consent) {
    const source = outcome === 'invalid_address' ? 'hard_bounce' : outcome
    events.push({
      type: 'ContactConsentRecorded',
      data: { contactId, channel: 'email', from, to: consent, source, ip: null, userAgent: null, message: null },
    })
  }
  return events
}
