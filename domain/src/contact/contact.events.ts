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

/** What a profile says about a person, besides how to reach them. A null is "not known". */
export type ContactDetails = Readonly<{
  firstName: string | null
  lastName: string | null
  timezone: string | null
  locale: string | null
  notes: string | null
  tags: readonly string[]
  customProperties: Readonly<Record<string, Json>>
}>

// Stored for ever: change only together with an upcast.
export type ContactCreated = Event<
  'ContactCreated',
  ContactDetails & {
    contactId: string
    email: string | null
    emailClaimId: string | null
    phone: string | null
    phoneClaimId: string | null
    source: string
  }
>
/** Holds only what changed; `customProperties` holds the whole new object. */
export type ContactDetailsChanged = Event<'ContactDetailsChanged', { contactId: string } & Partial<ContactDetails>>
export type ContactEmailChanged = Event<'ContactEmailChanged', { contactId: string; email: string | null; claimId: string | null }>
export type ContactPhoneChanged = Event<'ContactPhoneChanged', { contactId: string; phone: string | null; claimId: string | null }>
/** One line of consent history; a repeated value is a line too. */
/** The message whose link a contact used to unsubscribe; `campaign`: its campaign and variant, if it had one. */
export type UnsubscribedBy = Readonly<{ messageId: string; campaign: Readonly<{ campaignId: string; variant: number }> | null }>

/** `message` is null for a statement that no message led to. `sourceText`: the source where `source` only says that it is sealed. */
export type ContactConsentRecorded = Event<
  'ContactConsentRecorded',
  {
    contactId: string
    channel: ConsentChannel
    from: ConsentStatus
    to: ConsentStatus
    source: string
    sourceText?: string | null
    ip: string | null
    userAgent: string | null
    message: UnsubscribedBy | null
  }
>
export type ContactSuppressed = Event<'ContactSuppressed', { contactId: string; channel: SuppressionChannel; reason: SuppressionReason }>
/** Lifts the suppressions of the channel that have one of the reasons; without reasons every one. */
export type ContactSuppressionLifted = Event<
  'ContactSuppressionLifted',
  { contactId: string; channel: SuppressionChannel; reasons?: readonly SuppressionReason[] }
>
export type ContactEmailValidated = Event<'ContactEmailValidated', { contactId: string; state: EmailValidationState }>
/** A browser of the contact was registered for web push. `endpointHash` and `registration` as in its own stream. */
export type ContactBrowserAdded = Event<'ContactBrowserAdded', { contactId: string; endpointHash: string; registration: number }>
/** It is gone, or another contact's now. */
export type ContactBrowserRemoved = Event<'ContactBrowserRemoved', { contactId: string; endpointHash: string }>
/** The fence of the claim protocol: a later write under this claim id fails. */
type ContactClaimAbandoned = Event<'ContactClaimAbandoned', { contactId: string; claimId: string }>
/** The person is forgotten from here on: the contact is no more, and its addresses are free. */
export type ContactErasureRequested = Event<'ContactErasureRequested', { contactId: string }>
/** Its key is destroyed, and nothing is under way that began before. */
export type ContactErased = Event<'ContactErased', { contactId: string }>

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
export function contactSubject(data: Readonly<{ contactId: string }>): string {
  return `contact:${data.contactId}`
}

const details = ['firstName', 'lastName', 'timezone', 'locale', 'notes', 'tags', 'customProperties'] as const

export const contactDeclarations = {
  ContactCreated: { version: 1, personal: { subject: contactSubject, fields: [...details, 'email', 'phone'] } },
  ContactDetailsChanged: { version: 1, personal: { subject: contactSubject, fields: details } },
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
