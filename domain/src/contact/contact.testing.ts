import type { ContactCreated, ContactEvent } from './contact.events.ts'
import type { ConsentStatement } from './contact-commands.ts'

/** Ada, as the tests know her. */
export const contactId = 'ada'

export const created = (data: Partial<ContactCreated['data']> = {}): ContactCreated => ({
  type: 'ContactCreated',
  data: {
    contactId,
    firstName: 'Ada',
    lastName: null,
    timezone: null,
    locale: null,
    notes: null,
    tags: ['poet'],
    customProperties: { size: 'S' },
    email: 'ada@example.com',
    emailClaimId: 'claim-1',
    phone: null,
    phoneClaimId: null,
    source: 'api',
    ...data,
  },
})

export const says = (statement: Partial<ConsentStatement> = {}): ConsentStatement => ({
  channel: 'email',
  status: 'subscribed',
  source: 'api',
  ip: null,
  userAgent: null,
  ...statement,
})

export const recorded = (
  from: ConsentStatement['status'],
  to: ConsentStatement['status'],
  data: Partial<Omit<ConsentStatement, 'status'>> = {},
): ContactEvent => ({
  type: 'ContactConsentRecorded',
  data: { contactId, channel: 'email', from, to, source: 'api', ip: null, userAgent: null, ...data },
})
