import type { ContactEvent, ContactId } from '@tidings/domain'

/** `personal`: every event holds something encrypted that `profiles` reads. `plain`: none but the creation does. */
export type Mix = 'personal' | 'plain'

const created = (contactId: ContactId): ContactEvent => ({
  type: 'ContactCreated',
  data: {
    contactId,
    email: `${contactId}@example.com`,
    emailClaimId: contactId,
    phone: null,
    phoneClaimId: null,
    source: 'api',
    firstName: 'Ada',
    lastName: 'Lovelace',
    timezone: 'Europe/London',
    locale: 'en',
    notes: null,
    tags: ['early', 'customer'],
    customProperties: { size: 's', orders: 3 },
  },
})

const personal: readonly ((contactId: ContactId) => ContactEvent)[] = [
  (contactId) => ({ type: 'ContactDetailsChanged', data: { contactId, firstName: 'Augusta', customProperties: { size: 'm', orders: 4 } } }),
  (contactId) => ({ type: 'ContactDetailsChanged', data: { contactId, lastName: 'King', tags: ['customer'] } }),
]

const plain: readonly ((contactId: ContactId) => ContactEvent)[] = [
  (contactId) => ({ type: 'ContactEmailValidated', data: { contactId, state: 'valid' } }),
  (contactId) => ({ type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'list_cleanup' } }),
  (contactId) => ({ type: 'ContactEmailValidated', data: { contactId, state: 'risky' } }),
  (contactId) => ({ type: 'ContactSuppressionLifted', data: { contactId, channel: 'email' } }),
]

const MIXES = { personal, plain }

/** What happens to a contact in a round; round 0 creates it. */
export function contactEvent(mix: Mix, contactId: ContactId, round: number): ContactEvent {
  if (round === 0) return created(contactId)
  const events = MIXES[mix]
  return events[(round - 1) % events.length]!(contactId)
}
