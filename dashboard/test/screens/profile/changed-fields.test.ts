import { noDetails } from '@tidings/domain'
import { expect, it } from 'vitest'
import type { Profile } from '../../../src/api/calls.ts'
import { changedFields, fieldsOf } from '../../../src/screens/profile/changed-fields.ts'

const profile: Profile = {
  ...{ id: '0192f000-0000-7000-8000-000000000001', email: 'noa@example.com', phone: null, ...noDetails, firstName: 'Noa' },
  ...{ emailConsent: 'subscribed', smsConsent: 'never_subscribed', pushConsent: 'never_subscribed' },
  ...{ emailConsentTimestamp: null, smsConsentTimestamp: null, pushConsentTimestamp: null, emailValidationState: 'unknown' },
  ...{ customProperties: {}, tags: ['vip', 'tel aviv'], rfmTier: null, notes: 'a note', emailSuppressed: false, smsSuppressed: false },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
}
const fields = fieldsOf(profile)

it('sends nothing that was not changed', () => {
  expect(changedFields(profile, fields)).toEqual({})
  expect(changedFields(profile, { ...fields, firstName: 'Noah' })).toEqual({ firstName: 'Noah' })
})

it('takes notes away with null, and each tag once', () => {
  expect(changedFields(profile, { ...fields, notes: '' })).toEqual({ notes: null })
  expect(changedFields(profile, { ...fields, tags: ' vip, vip,, new ' })).toEqual({ tags: ['vip', 'new'] })
  expect(changedFields(profile, { ...fields, tags: '' })).toEqual({ tags: [] })
})
