import { type TSchema, Type } from '@sinclair/typebox'
import { examplePerson } from './examples.ts'
import { nullableText, text } from './kinds.ts'

const { Optional } = Type
const shortText = Optional(text(128))

// The texts of a profile about its person, which stand behind its addresses in every body and answer. A field that is new in one of these lists does
// not compile until the others have it.

export const textsWritten = {
  firstName: shortText,
  lastName: shortText,
  timezone: Optional(text(64, { timezone: true })),
  locale: Optional(text(10)),
}
type TextField = keyof typeof textsWritten

export const textsShown = {
  firstName: nullableText(),
  lastName: nullableText(),
  timezone: nullableText(),
  locale: nullableText(),
} satisfies Readonly<Record<TextField, TSchema>>

export const textSentences = {
  firstName: 'The first name.',
  lastName: 'The last name.',
  timezone: 'The time zone, as it was sent.',
  locale: 'The language, as it was sent.',
} satisfies Readonly<Record<TextField, string>>

export const textExamples = {
  firstName: examplePerson.firstName,
  lastName: examplePerson.lastName,
  timezone: null,
  locale: null,
} satisfies Readonly<Record<TextField, string | null>>

/** The fields of a profile in the bodies that write it. */
export const profileSentences = {
  ...textSentences,
  email: 'The address; stored trimmed and in lower case.',
  phone: 'The number; stored in E.164.',
  timezone: 'The time zone: a name of IANA, or an offset such as `+03:00`; empty for none.',
  locale: 'The language.',
  emailConsent: 'The consent to marketing by email, as it is now.',
  smsConsent: 'The consent to marketing by text message, as it is now.',
  pushConsent: 'The consent to marketing by web push, as it is now.',
  emailConsentSource: 'Where the consent for email was given. Written, never shown.',
  smsConsentSource: 'Where the consent for text messages was given. Written, never shown.',
  pushConsentSource: 'Where the consent for web push was given. Written, never shown.',
  tags: 'Free texts on the contact; they replace those that it has.',
  customProperties: 'What else the client stores about the contact, under keys of its own.',
  notes: 'A free text for people; null removes it.',
} as const

/**
 * Sentences of the address-style inputs, which are no fields of a profile: they end up in `customProperties`. One that has become a field does not
 * compile until it is taken out here.
 */
export const addressSentences = {
  city: 'Merged into `customProperties`.',
  country: 'Merged into `customProperties`.',
  stateProvince: 'Merged into `customProperties`.',
  zip: 'Merged into `customProperties`.',
  address1: 'Merged into `customProperties`.',
  address2: 'Merged into `customProperties`.',
  dateOfBirth: 'Merged into `customProperties`.',
  gender: 'Merged into `customProperties`.',
  jobTitle: 'Merged into `customProperties`.',
} as const satisfies Readonly<Record<string, string>> & { readonly [Field in keyof typeof profileSentences]?: never }
type AddressField = keyof typeof addressSentences

const isAddressField = (name: string): name is AddressField => Object.hasOwn(addressSentences, name)

export const addressFields: readonly AddressField[] = Object.keys(addressSentences).filter(isAddressField)

const addressText = Optional(Type.String())

export const addressInputs = {
  city: addressText,
  country: addressText,
  stateProvince: addressText,
  zip: addressText,
  address1: addressText,
  address2: addressText,
  dateOfBirth: addressText,
  gender: addressText,
  jobTitle: addressText,
} satisfies Readonly<Record<AddressField, TSchema>>
