import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds, examplePerson, exampleTime } from './examples.ts'
import { FreeObject, NullableTimestamp, nullableOneOf, nullableText, oneOf, Timestamp, Uuid } from './kinds.ts'
import { pageOf } from './pagination.ts'
import { textExamples, textSentences, textsShown } from './profile-fields.ts'

export const ConsentState = named(
  'ConsentState',
  oneOf('subscribed', 'unsubscribed', 'never_subscribed', 'cleaned'),
  'Whether a contact agreed to be written to on a channel.',
)
export type ConsentState = Static<typeof ConsentState>

const tiers = nullableOneOf(
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

/** N51. */
const RfmTier = named('RfmTier', tiers, 'How recently, how often and for how much a contact buys.')

const profile = Type.Object({
  id: Uuid,
  email: nullableText(),
  phone: nullableText(),
  ...textsShown,
  emailConsent: ConsentState,
  smsConsent: ConsentState,
  pushConsent: ConsentState,
  emailConsentTimestamp: NullableTimestamp,
  smsConsentTimestamp: NullableTimestamp,
  pushConsentTimestamp: NullableTimestamp,
  emailValidationState: named('EmailValidationState', oneOf('unknown', 'valid', 'risky', 'invalid'), 'What is known about an address.'),
  customProperties: FreeObject,
  tags: Type.Array(Type.String()),
  rfmTier: RfmTier,
  notes: nullableText(),
  emailSuppressed: Type.Boolean(),
  smsSuppressed: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** A contact as the API shows it. A field that was never set is null (G13). */
export const Profile = described(profile, {
  name: 'Profile',
  about: 'A contact of the workspace. What was never set is null.',
  fields: {
    id: 'The UUID of the contact.',
    email: 'The address, in lower case.',
    phone: 'The number, in E.164.',
    ...textSentences,
    emailConsent: 'Whether the contact agreed to marketing by email.',
    smsConsent: 'Whether the contact agreed to marketing by text message.',
    pushConsent: 'Whether the contact agreed to marketing by web push.',
    emailConsentTimestamp: 'When the consent for email was recorded last.',
    smsConsentTimestamp: 'When the consent for text messages was recorded last.',
    pushConsentTimestamp: 'When the consent for web push was recorded last.',
    emailValidationState: 'What is known about the address.',
    customProperties: 'What else the client stores about the contact, under keys of its own.',
    tags: 'Free texts on the contact; they have nothing to do with the tags of `/public/tags`.',
    rfmTier: 'How recently, how often and for how much the contact buys; null until a store is connected.',
    notes: 'A free text for people.',
    emailSuppressed: 'Whether email to the contact is suppressed.',
    smsSuppressed: 'Whether text messages to the contact are suppressed.',
    createdAt: 'When the contact was created.',
    updatedAt: 'When the contact changed last.',
  },
  example: {
    ...examplePerson,
    id: exampleIds.contact,
    ...textExamples,
    smsConsent: 'never_subscribed',
    pushConsent: 'never_subscribed',
    emailConsentTimestamp: exampleTime,
    smsConsentTimestamp: null,
    pushConsentTimestamp: null,
    emailValidationState: 'unknown',
    tags: [...examplePerson.tags],
    rfmTier: null,
    notes: null,
    emailSuppressed: false,
    smsSuppressed: false,
    createdAt: exampleTime,
    updatedAt: exampleTime,
  },
})
export type Profile = Static<typeof Profile>

export const ProfilePage = pageOf(Profile)
