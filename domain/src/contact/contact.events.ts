import type { CampaignId, ContactId, MessageId } from '../ids.ts'
import type { Event, EventDeclarations } from '../kernel.ts'

export type ConsentChannel = 'email' | 'sms' | 'push'
export type ConsentStatus = 'subscribed' | 'unsubscribed' | 'never_subscribed' | 'cleaned'
export type SuppressionChannel = 'email' | 'sms'
export type SuppressionReason =
  | 'hard_bounce'
  | 'invalid_address'
  | 'global_blocklist'
  | 'spam_complaint'
  | 'soft_bounce'
  | 'sms_stop'
  | 'list_cleanup'
export type EmailValidationState = 'unknown' | 'valid' | 'risky' | 'invalid'
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/**
 * What a profile says about a person, besides how to reach them: every field, with its kind. The types, what is encrypted, the patch, the state and
 * the facts of rules follow from this list; where a field must be named again, the compiler refuses what lacks it
 * (docs/how-to/add-a-field-to-the-profile.md).
 */
export const contactFields = {
  firstName: 'text',
  lastName: 'text',
  timezone: 'text',
  locale: 'text',
  notes: 'text',
  tags: 'tags',
  customProperties: 'properties',
} as const
export type ContactField = keyof typeof contactFields

type ValueOf = Readonly<{ text: string | null; tags: readonly string[]; properties: Readonly<Record<string, Json>> }>
/** A null is "not known". */
export type ContactDetails = { readonly [Field in keyof typeof contactFields]: ValueOf[(typeof contactFields)[Field]] }

/** What is known before anything was said. */
export const noDetails: ContactDetails = {
  firstName: null,
  lastName: null,
  timezone: null,
  locale: null,
  notes: null,
  tags: [],
  customProperties: {},
}

const isContactField = (name: string): name is ContactField => Object.hasOwn(contactFields, name)

export const contactFieldNames: readonly ContactField[] = Object.keys(contactFields).filter(isContactField)

type ContactText = { [Field in ContactField]: (typeof contactFields)[Field] extends 'text' ? Field : never }[ContactField]

/** The fields that hold a text. */
export const contactTextNames: readonly ContactText[] = contactFieldNames.filter(
  (name): name is ContactText => contactFields[name] === 'text',
)

/** The details that an event or a request says. Empty where it says null, as the event of an erased person does in all of its fields. */
export function detailsIn(said: { readonly [Field in ContactField]?: ContactDetails[Field] | null | undefined }): Partial<ContactDetails> {
  const found = contactFieldNames.filter((field) => said[field] !== undefined)
  return Object.fromEntries(found.map((field) => [field, said[field] ?? noDetails[field]]))
}

// Stored for ever: change only together with an upcast.
/** A detail that is newer than the event is missing. */
export type ContactCreated = Event<
  'ContactCreated',
  Partial<ContactDetails> & {
    contactId: ContactId
    email: string | null
    emailClaimId: string | null
    phone: string | null
    phoneClaimId: string | null
    source: string
  }
>
/** Holds only what changed; `customProperties` holds the whole new object. */
export type ContactDetailsChanged = Event<'ContactDetailsChanged', { contactId: ContactId } & Partial<ContactDetails>>
export type ContactEmailChanged = Event<'ContactEmailChanged', { contactId: ContactId; email: string | null; claimId: string | null }>
export type ContactPhoneChanged = Event<'ContactPhoneChanged', { contactId: ContactId; phone: string | null; claimId: string | null }>
/** The message whose link a contact used to unsubscribe; `campaign`: its campaign and variant, if it had one. */
export type UnsubscribedBy = Readonly<{ messageId: MessageId; campaign: Readonly<{ campaignId: CampaignId; variant: number }> | null }>

/**
 * One line of consent history; a repeated value is a line too. `message` is null for a statement that no message led to. `sourceText`: the source
 * where `source` only says that it is sealed. `givenAt`: when it was given, where it was recorded later (M67).
 */
export type ContactConsentRecorded = Event<
  'ContactConsentRecorded',
  {
    contactId: ContactId
    channel: ConsentChannel
    from: ConsentStatus
    to: ConsentStatus
    source: string
    sourceText?: string | null
    ip: string | null
    userAgent: string | null
    message: UnsubscribedBy | null
    givenAt?: string
  }
>
export type ContactSuppressed = Event<'ContactSuppressed', { contactId: ContactId; channel: SuppressionChannel; reason: SuppressionReason }>
/** Lifts the suppressions of the channel that have one of the reasons; without reasons every one. */
export type ContactSuppressionLifted = Event<
  'ContactSuppressionLifted',
  { contactId: ContactId; channel: SuppressionChannel; reasons?: readonly SuppressionReason[] }
>
export type ContactEmailValidated = Event<'ContactEmailValidated', { contactId: ContactId; state: EmailValidationState }>
/** A browser of the contact was registered for web push. `endpointHash` and `registration` as in its own stream. */
export type ContactBrowserAdded = Event<'ContactBrowserAdded', { contactId: ContactId; endpointHash: string; registration: number }>
/** It is gone, or another contact's now. */
export type ContactBrowserRemoved = Event<'ContactBrowserRemoved', { contactId: ContactId; endpointHash: string }>
/** The fence of the claim protocol: a later write under this claim id fails. */
type ContactClaimAbandoned = Event<'ContactClaimAbandoned', { contactId: ContactId; claimId: string }>
/** The person is forgotten from here on: the contact is no more, and its addresses are free. */
export type ContactErasureRequested = Event<'ContactErasureRequested', { contactId: ContactId }>
/** Its key is destroyed, and nothing is under way that began before. */
export type ContactErased = Event<'ContactErased', { contactId: ContactId }>

export type ContactEvent =
  | ContactCreated
  | ContactDetailsChanged
  | ContactEmailChanged
  | ContactPhoneChanged
  | ContactConsentRecorded
  | ContactSuppressed
  | ContactSuppressionLifted
  | ContactEmailValidated
  | ContactBrowserAdded
  | ContactBrowserRemoved
  | ContactClaimAbandoned
  | ContactErasureRequested
  | ContactErased

/** The data subject of everything that is stored about a contact. */
export function contactSubject(data: Readonly<{ contactId: ContactId }>): string {
  return `contact:${data.contactId}`
}

export const contactDeclarations = {
  ContactCreated: { version: 1, personal: { subject: contactSubject, fields: [...contactFieldNames, 'email', 'phone'] } },
  ContactDetailsChanged: { version: 1, personal: { subject: contactSubject, fields: contactFieldNames } },
  ContactEmailChanged: { version: 1, personal: { subject: contactSubject, fields: ['email'] } },
  ContactPhoneChanged: { version: 1, personal: { subject: contactSubject, fields: ['phone'] } },
  ContactConsentRecorded: {
    version: 2,
    personal: { subject: contactSubject, fields: ['ip', 'userAgent', 'sourceText'], ending: { client: ['ip', 'userAgent'] } },
  },
  ContactSuppressed: { version: 1 },
  ContactSuppressionLifted: { version: 2 },
  ContactEmailValidated: { version: 1 },
  ContactBrowserAdded: { version: 1 },
  ContactBrowserRemoved: { version: 1 },
  ContactClaimAbandoned: { version: 1 },
  ContactErasureRequested: { version: 1 },
  ContactErased: { version: 1 },
} as const satisfies EventDeclarations & Record<ContactEvent['type'], unknown>

/** The source of a contact from a form that asks for a confirmation: a stranger may have typed the address (M56). */
export const UNCONFIRMED_SIGN_UP = 'embedded_form_unconfirmed'
/** The source of a contact that bought before the store was connected (M54). */
export const STORE_HISTORY = 'store_history'

/** The source of a contact that a file of people brought, and the actor of all that such a file changes (M67). */
export const IMPORT = 'import'

const QUIET: readonly string[] = [UNCONFIRMED_SIGN_UP, STORE_HISTORY, IMPORT]

/** Whether a contact that was created by this source enters no `contact_created` flow by its creation. */
export function isQuietSource(source: string): boolean {
  return QUIET.includes(source)
}
