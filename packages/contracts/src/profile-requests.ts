import { type Static, Type } from '@sinclair/typebox'
import { EmailAddress, EmailLookup, FreeObject, nullableText, oneOf, text, Uuid, withRule } from './kinds.ts'
import { richQuery } from './pagination.ts'
import { ConsentState } from './profile.ts'

const { Optional } = Type
const shortText = Optional(text(128))
const consent = Optional(ConsentState)
const consentSource = Optional(text(64))
/** The contract leaves tags free; these bounds only keep one contact from filling the log. */
const tags = Optional(Type.Array(text(255), { maxItems: 1_000 }))
const notes = Optional(nullableText({ maxLength: 4_000 }))

const locating = { timezone: Optional(text(64)), locale: Optional(text(10)) }

const profileFields = {
  email: Optional(EmailAddress),
  phone: Optional(text(32)),
  firstName: shortText,
  lastName: shortText,
  ...locating,
  emailConsent: consent,
  smsConsent: consent,
  pushConsent: consent,
  emailConsentSource: consentSource,
  smsConsentSource: consentSource,
  pushConsentSource: consentSource,
  tags,
  customProperties: Optional(FreeObject),
  notes,
}

/** Create, and PATCH by UUID: the same field set. */
export const ProfileBody = Type.Object(profileFields)
export type ProfileBody = Static<typeof ProfileBody>

/** Upsert: as create, but there must be something to match by (G11). */
export const UpsertProfileBody = withRule(Type.Object(profileFields), (body: ProfileBody) =>
  body.email === undefined && body.phone === undefined ? 'email or phone is required' : undefined,
)

/** The address-style inputs, which end up in `customProperties`. */
export const addressFields = [
  'city',
  'country',
  'stateProvince',
  'zip',
  'address1',
  'address2',
  'dateOfBirth',
  'gender',
  'jobTitle',
] as const

const addressText = Optional(Type.String())

export const PatchByEmailBody = Type.Object({
  email: EmailLookup,
  newEmail: Optional(EmailAddress),
  phone: Optional(text(32)),
  firstName: shortText,
  lastName: shortText,
  ...locating,
  emailConsent: consent,
  smsConsent: consent,
  pushConsent: consent,
  tags,
  customProperties: Optional(FreeObject),
  notes,
  city: addressText,
  country: addressText,
  stateProvince: addressText,
  zip: addressText,
  address1: addressText,
  address2: addressText,
  dateOfBirth: addressText,
  gender: addressText,
  jobTitle: addressText,
})
export type PatchByEmailBody = Static<typeof PatchByEmailBody>

/** `contactId` wins when both are given (G7). */
export const BlacklistBody = withRule(
  Type.Object({ email: Optional(EmailLookup), contactId: Optional(Uuid), channel: oneOf('email', 'sms', 'both') }),
  (body: { email?: string; contactId?: string }) =>
    body.email === undefined && body.contactId === undefined ? 'email or contactId is required' : undefined,
)
export type BlacklistBody = Static<typeof BlacklistBody>

export const ListProfilesQuery = Type.Object({
  ...richQuery,
  search: Optional(text(255)),
  segmentId: Optional(Uuid),
  consent: Optional(ConsentState),
  channel: Optional(oneOf('email', 'sms')),
  sort: Optional(text(64)),
})
export type ListProfilesQuery = Static<typeof ListProfilesQuery>

export const LookupProfileQuery = Type.Object({ email: EmailLookup })
