import { type Static, Type } from '@sinclair/typebox'
import { FreeObject, NullableTimestamp, nullableOneOf, nullableText, oneOf, Timestamp, Uuid } from './kinds.ts'
import { pageOf } from './pagination.ts'

export const ConsentState = oneOf('subscribed', 'unsubscribed', 'never_subscribed', 'cleaned')
export type ConsentState = Static<typeof ConsentState>

/** The tiers of N51; null until a store is connected. */
const RfmTier = nullableOneOf(
  'champions',
  'loyal',
  'potential_loyalist',
  'new',
  'promising',
  'needs_attention',
  'about_to_sleep',
  'at_risk',
  'cannot_lose',
  'hibernating',
  'lost',
)

/** A contact as the API shows it. What was never set is null (G13). */
export const Profile = Type.Object({
  id: Uuid,
  email: nullableText(),
  phone: nullableText(),
  firstName: nullableText(),
  lastName: nullableText(),
  timezone: nullableText(),
  locale: nullableText(),
  emailConsent: ConsentState,
  smsConsent: ConsentState,
  pushConsent: ConsentState,
  emailConsentTimestamp: NullableTimestamp,
  smsConsentTimestamp: NullableTimestamp,
  pushConsentTimestamp: NullableTimestamp,
  emailValidationState: oneOf('unknown', 'valid', 'risky', 'invalid'),
  customProperties: FreeObject,
  tags: Type.Array(Type.String()),
  rfmTier: RfmTier,
  notes: nullableText(),
  emailSuppressed: Type.Boolean(),
  smsSuppressed: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Profile = Static<typeof Profile>

export const ProfilePage = pageOf(Profile)
