import { expect, it } from 'vitest'
import { marketingRefusal } from '../../src/marketing/marketing-refusal.ts'

const contact = {
  emailSuppressions: [],
  smsSuppressions: [],
  consents: { email: 'subscribed', sms: 'never_subscribed', push: 'cleaned' },
} as const

it('only a contact that is subscribed on the channel gets marketing there', () => {
  expect(marketingRefusal('email', contact)).toBeNull()
  expect(marketingRefusal('sms', contact)).toEqual({ outcome: 'skipped', reason: 'no_consent' })
  expect(marketingRefusal('push', contact)).toEqual({ outcome: 'skipped', reason: 'no_consent' })
})

it.each(['hard_bounce', 'spam_complaint', 'soft_bounce', 'list_cleanup'] as const)(
  'a suppression for %s comes before consent',
  (reason) => {
    expect(marketingRefusal('email', { ...contact, emailSuppressions: [reason] })).toEqual({ outcome: 'suppressed', reason })
    expect(marketingRefusal('sms', { ...contact, emailSuppressions: [reason] })).toEqual({ outcome: 'skipped', reason: 'no_consent' })
  },
)
