import { type ContactCreated, type ContactEvent, noDetails } from '../../src/contact/contact.events.ts'
import type { ConsentStatement } from '../../src/contact/contact-channels.ts'
import { asContactId } from '../../src/ids.ts'

/** Ada, as the tests know her. */
export const contactId = asContactId('ada')

export function created(data: Partial<ContactCreated['data']> = {}): ContactCreated {
  return {
    type: 'ContactCreated',
    data: {
      contactId,
      ...noDetails,
      firstName: 'Ada',
      tags: ['poet'],
      customProperties: { size: 'S' },
      email: 'ada@example.com',
      emailClaimId: 'claim-1',
      phone: null,
      phoneClaimId: null,
      source: 'api',
      ...data,
    },
  }
}

export function says(statement: Partial<ConsentStatement> = {}): ConsentStatement {
  return {
    channel: 'email',
    status: 'subscribed',
    source: 'api',
    ip: null,
    userAgent: null,
    ...statement,
  }
}

export function recorded(
  from: ConsentStatement['status'],
  to: ConsentStatement['status'],
  data: Partial<Omit<ConsentStatement, 'status'>> = {},
): ContactEvent {
  return {
    type: 'ContactConsentRecorded',
    data: { contactId, channel: 'email', from, to, source: 'api', ip: null, userAgent: null, message: null, ...data },
  }
}
