import { describe, expect, it } from 'vitest'
import { contactFirings } from '../../src/webhooks/contact-firings.ts'
import { contactId, created, recorded } from '../contact/contact.testing.ts'

describe('the webhook events of one append to a contact', () => {
  it('is its creation alone, whatever was said with it', () => {
    expect(contactFirings([created(), recorded('never_subscribed', 'subscribed')])).toEqual([{ name: 'contact.created', cause: 0 }])
  })

  it('is one update, however much changed', () => {
    const changes = [
      recorded('subscribed', 'subscribed'),
      { type: 'ContactDetailsChanged', data: { contactId, firstName: 'Ada' } },
      { type: 'ContactEmailChanged', data: { contactId, email: null, claimId: null } },
      { type: 'ContactPhoneChanged', data: { contactId, phone: null, claimId: null } },
    ] as const
    expect(contactFirings(changes)).toEqual([{ name: 'contact.updated', cause: 1 }])
  })

  it('is nothing when a consent is said again, or nothing changed that the profile shows as its own', () => {
    expect(contactFirings([recorded('subscribed', 'subscribed'), recorded('unsubscribed', 'unsubscribed')])).toEqual([])
    expect(contactFirings([{ type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'sms_stop' } }])).toEqual([])
  })

  it('is no second unsubscription, where the consent is again what it was before its address was cleaned', () => {
    const changed = { type: 'ContactEmailChanged', data: { contactId, email: null, claimId: null } } as const
    const back = recorded('cleaned', 'unsubscribed', { source: 'address_changed' })
    expect(contactFirings([changed, back])).toEqual([{ name: 'contact.updated', cause: 0 }])
    expect(contactFirings([recorded('subscribed', 'unsubscribed', { source: 'address_changed' })])).toHaveLength(2)
  })

  it('is every channel that moves to unsubscribed, beside the update', () => {
    const events = [recorded('subscribed', 'unsubscribed'), recorded('never_subscribed', 'unsubscribed', { channel: 'sms' })]
    expect(contactFirings(events)).toEqual([
      { name: 'contact.updated', cause: 0 },
      { name: 'contact.unsubscribed', cause: 0, channel: 'email' },
      { name: 'contact.unsubscribed', cause: 1, channel: 'sms' },
    ])
  })
})
