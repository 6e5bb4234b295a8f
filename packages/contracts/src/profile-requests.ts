import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { examplePerson } from './examples.ts'
import { ContactUuid, EmailAddress, EmailLookup, FreeObject, ListUuid, nullableText, oneOf, text, withRule } from './kinds.ts'
import { richQuery, richSentences } from './pagination.ts'
import { ConsentState } from './profile.ts'
import { addressInputs, addressSentences, profileSentences, textsWritten } from './profile-fields.ts'

const { Optional } = Type
const consent = Optional(ConsentState)
const consentSource = Optional(text(64))
/** The contract leaves tags free; these bounds only keep one contact from filling the log. */
const tags = Optional(Type.Array(text(255), { maxItems: 1_000 }))
const notes = Optional(nullableText({ maxLength: 4_000 }))

const profileFields = {
  email: Optional(EmailAddress),
  phone: Optional(text(32)),
  ...textsWritten,
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
export const ProfileBody = described(Type.Object(profileFields), {
  name: 'ProfileBody',
  about: 'What a contact is created with, or changed to. What is not sent is left as it is.',
  fields: profileSentences,
  example: { ...examplePerson, tags: [...examplePerson.tags] },
})
export type ProfileBody = Static<typeof ProfileBody>

const upsert = described(Type.Object(profileFields), {
  name: 'UpsertProfileBody',
  about: 'A contact, found by `email`, else by `phone`, else created; at least one of the two.',
  fields: profileSentences,
  example: { ...examplePerson, tags: [...examplePerson.tags] },
})

/** Upsert: as create, but there must be something to match by (G11). */
export const UpsertProfileBody = withRule(upsert, (body: ProfileBody) =>
  body.email === undefined && body.phone === undefined ? 'email or phone is required' : undefined,
)

const patchByEmail = Type.Object({
  email: EmailLookup,
  newEmail: Optional(EmailAddress),
  phone: Optional(text(32)),
  ...textsWritten,
  emailConsent: consent,
  smsConsent: consent,
  pushConsent: consent,
  tags,
  customProperties: Optional(FreeObject),
  notes,
  ...addressInputs,
})

const { emailConsentSource: _email, smsConsentSource: _sms, pushConsentSource: _push, ...patchSentences } = profileSentences

export const PatchByEmailBody = described(patchByEmail, {
  name: 'PatchByEmailBody',
  about: 'A change of the contact that has an address. What is not sent is left as it is.',
  fields: {
    ...patchSentences,
    ...addressSentences,
    email: 'The address by which the contact is found; it is not rewritten.',
    newEmail: 'The address that the contact has afterwards.',
  },
  example: { email: 'ada@example.com', firstName: 'Augusta', city: 'London' },
})
export type PatchByEmailBody = Static<typeof PatchByEmailBody>

const BlacklistChannel = named('BlacklistChannel', oneOf('email', 'sms', 'both'), 'What is suppressed.')

/** `contactId` wins when both are given (G7). */
export const BlacklistBody = withRule(
  described(Type.Object({ email: Optional(EmailLookup), contactId: Optional(ContactUuid), channel: BlacklistChannel }), {
    name: 'BlacklistBody',
    about: 'A contact and a channel; `email` or `contactId` is needed.',
    fields: {
      email: 'The address of the contact.',
      contactId: 'The UUID of the contact; wins over `email` where both are sent.',
      channel: 'What is suppressed, or no longer.',
    },
    example: { email: 'ada@example.com', channel: 'email' },
  }),
  (body: { email?: string; contactId?: string }) =>
    body.email === undefined && body.contactId === undefined ? 'email or contactId is required' : undefined,
)
export type BlacklistBody = Static<typeof BlacklistBody>

const profilesQuery = Type.Object({
  ...richQuery,
  search: Optional(text(255)),
  segmentId: Optional(ListUuid),
  consent: Optional(ConsentState),
  channel: Optional(named('ConsentChannel', oneOf('email', 'sms'), 'The channel of a consent.')),
  sort: Optional(text(64)),
})

const profilesSentences = {
  ...richSentences,
  search: 'Only contacts that hold this text.',
  segmentId: 'Only members of this list.',
  consent: 'Only contacts with this consent, on `channel`.',
  channel: 'The channel that `consent` is about.',
  sort: '`-col`, `col:asc`, `col:desc` or `col`, of `createdAt`, `updatedAt`, `email`, `firstName`, `lastName`. An unknown column is ignored.',
} as const

export const ListProfilesQuery = described(profilesQuery, { fields: profilesSentences })
export type ListProfilesQuery = Static<typeof ListProfilesQuery>

const dashboardFilters = { tag: Optional(text(255)), blocked: Optional(oneOf('email', 'sms', 'any', 'none')) }

/** What a signed-in person may ask besides (M72). */
export const FilterProfilesQuery = described(Type.Object({ ...ListProfilesQuery.properties, ...dashboardFilters }), {
  fields: {
    ...profilesSentences,
    tag: 'Only contacts with this tag, in the same case.',
    blocked: 'Only contacts that are suppressed on this channel, on any, or on none.',
  },
})
export type FilterProfilesQuery = Static<typeof FilterProfilesQuery>

export const LookupProfileQuery = described(Type.Object({ email: EmailLookup }), { fields: { email: 'The address, in any case.' } })
