import { contactSubject, type Json } from '../contact/contact.events.ts'
import type { CampaignId, ContactId, MessageId, TemplateId, VerificationId } from '../ids.ts'
import type { Event, EventDeclarations } from '../kernel.ts'

export type MessageChannel = 'email' | 'sms' | 'push' | 'voice' | 'whatsapp'

/** Why a message did not send, as the status record shows it (N171). */
export type FailureReason =
  | 'hard_bounce'
  | 'soft_bounce'
  | 'invalid_address'
  | 'global_blocklist'
  | 'insufficient_credits'
  | 'sender_id_not_approved'
  | 'from_domain_not_verified'
  | 'provider_rejected'
  | 'provider_unavailable'
  | 'undeliverable'
  | 'expired'
  | 'template_render_failed'
  | 'no_consent'
  | 'frequency_cap'
  | 'quiet_hours'
  | 'campaign_cancelled'
  | 'spam_complaint'
  | 'push_endpoint_gone'
  | 'sms_stop'
  | 'list_cleanup'
  | 'address_changed'

/** What the recipient gets, complete: merge tags are resolved before it is stored. */
export type EmailContent = Readonly<{ subject: string; html: string; text: string | null }>

/** Characters of a text of a template, by UTF-16 code units: the first, and the one behind the last. */
export type TemplateSpan = readonly [from: number, to: number]
/** A text in pieces: what it has of a text of its template, and between that what was merged in, as it stands in the text. */
export type MergedText = readonly (TemplateSpan | string)[]
/** What the recipient gets, complete, by the `html` and `text` of one version of its template. No merge tag is left to resolve (ADR 63). */
export type MergedContent = Readonly<{ subject: string; html: MergedText; text: MergedText | null }>
/** `templateDigest`: the version of the template, named by the SHA-256 of its subject, html and text. */
export type ContentOfTemplate = Readonly<{ templateDigest: string; merged: MergedContent }>

/** The campaign of a message and the variant, counted from 0 (M37). */
export type MessageCampaign = Readonly<{ campaignId: CampaignId; variant: number }>

/** `campaign`: of a message of a campaign alone; all events of that message have it. */
type OfContact = { messageId: MessageId; contactId: ContactId; channel: MessageChannel; campaign?: MessageCampaign }
/** `ip`: the address that the request came from; absent where none asked for the message, and before it was kept. */
type OfRequest = { ip?: string | null }
/** `recipient`: of a message whose request named the contact and no address; it goes to the one that the contact has at the hand-over (M45). */
type OfRecipient = { recipient?: 'contact' }
/** `contactId` is null for a passcode: no contact is looked up for it (G21). */
type OfMessage = { messageId: MessageId; contactId: ContactId | null; channel: MessageChannel; campaign?: MessageCampaign }

// Stored for ever: change only together with an upcast.
/**
 * Small content travels inside the event; large content is a sealed row that `contentId` names, written before the event. `templateDigest` and `merged`
 * stand instead of both where a template made it, as in `ContentOfTemplate`; else they are absent.
 */
export type EmailAccepted = Event<
  'EmailAccepted',
  OfContact &
    OfRequest &
    OfRecipient & {
      to: string
      fromEmail: string
      fromName: string | null
      replyTo: string | null
      content: EmailContent | null
      contentId: string | null
      templateDigest?: string
      merged?: MergedContent | null
      templateId: TemplateId | null
      kind: 'transactional' | 'marketing'
    }
>
/** `from`: a sender ID or a number. `credits`: its price (G33); `segments`: what it is sent as (G34). The whole body is inside: it has at most 1 600 characters. */
export type SmsAccepted = Event<
  'SmsAccepted',
  OfContact &
    OfRequest &
    OfRecipient & {
      to: string
      from: string
      body: string
      credits: number
      segments: number
      templateId: TemplateId | null
      kind: 'transactional' | 'marketing'
    }
>
/** `url` and `icon`: absolute web addresses, null where the template has none. It goes to the browsers that the contact has when it is sent. */
export type PushAccepted = Event<
  'PushAccepted',
  OfContact & {
    title: string
    body: string
    url: string | null
    icon: string | null
    templateId: TemplateId | null
    kind: 'transactional' | 'marketing'
  }
>
/**
 * Some of the contact's browsers answered for good, by the hash of their endpoint, and `waiting` are tried again: kept, so that no browser gets
 * the message with a later try that has it already. Only where browsers differ.
 */
export type PushAttempted = Event<
  'PushAttempted',
  OfContact & { accepted: readonly string[]; refused: readonly string[]; waiting: readonly string[] }
>
/** A one-time passcode is about to be sent: its text is stored nowhere (M7). `credits` and `segments` as for `SmsAccepted`; a call costs its segments. */
export type PasscodeAccepted = Event<
  'PasscodeAccepted',
  OfRequest & {
    messageId: MessageId
    contactId: null
    channel: 'sms' | 'voice'
    verificationId: VerificationId
    to: string
    from: string
    credits: number
    segments: number
  }
>
/** It is about to be handed over, to an address that the contact did not have when it was accepted (M45). */
export type MessageReaddressed = Event<'MessageReaddressed', OfContact & { to: string }>
/**
 * `response`: what the provider said when it took it, sealed for the recipient, whom it may name in any spelling; in clear where it is the name of the
 * message and ordinary words. Absent where it said nothing, and before it was kept.
 */
export type MessageSent = Event<'MessageSent', OfMessage & { provider: string; providerMessageId: string; response?: string }>
export type MessageDelivered = Event<'MessageDelivered', OfMessage>
export type MessageBounced = Event<'MessageBounced', OfMessage & { reason: FailureReason; hard: boolean; detail: string | null }>
export type MessageComplained = Event<'MessageComplained', OfMessage>
export type MessageFailed = Event<'MessageFailed', OfMessage & { reason: FailureReason; detail: string | null }>
export type MessageSuppressed = Event<'MessageSuppressed', OfMessage & { reason: FailureReason }>
export type MessageSkipped = Event<'MessageSkipped', OfMessage & { reason: FailureReason }>
/** The mail was sent to the provider and its answer is missing: it may have accepted it. Once a message, before it is sent again. */
export type MessageUnconfirmed = Event<'MessageUnconfirmed', OfMessage & { provider: string }>
/**
 * A receipt that came too late, repeated what is known, or is about an address that the message was readdressed from: kept, but the status stays.
 * `address`: of the last kind alone, which of the message's addresses, counted from 0.
 */
export type MessageReceiptIgnored = Event<
  'MessageReceiptIgnored',
  OfMessage & {
    receipt: 'delivered' | 'bounced' | 'complained' | 'failed'
    facts: Readonly<Record<string, Json>> | null
    address?: number
  }
>

/** `machine`: the caller was a program, not the recipient (M6). One of each kind is kept. */
export type EmailOpened = Event<'EmailOpened', OfContact & { machine: boolean }>
/** `link`: which of the mail's links, counted from 0; `url`: where it leads, as the mail had it. */
export type EmailClicked = Event<'EmailClicked', OfContact & { machine: boolean; link: number; url: string }>
/** The notification was clicked. `url`: where it leads, as the template had it. */
type PushClicked = Event<'PushClicked', OfContact & { machine: boolean; url: string }>

export type MessageEvent =
  | EmailAccepted
  | SmsAccepted
  | PushAccepted
  | PushAttempted
  | PasscodeAccepted
  | MessageReaddressed
  | MessageSent
  | MessageDelivered
  | MessageBounced
  | MessageComplained
  | MessageFailed
  | MessageSuppressed
  | MessageSkipped
  | MessageUnconfirmed
  | MessageReceiptIgnored
  | EmailOpened
  | EmailClicked
  | PushClicked

/** A passcode is a data subject of its own: its key is deleted with its retention. */
export function passcodeSubject({ messageId }: Readonly<{ messageId: MessageId }>): string {
  return `passcode:${messageId}`
}

const recipientSubject = ({ messageId, contactId }: Pick<OfMessage, 'messageId' | 'contactId'>): string =>
  contactId === null ? passcodeSubject({ messageId }) : contactSubject({ contactId })

const email = ['to', 'fromEmail', 'fromName', 'replyTo', 'content', 'merged', 'ip'] as const
const push = ['title', 'body', 'url', 'icon'] as const

export const messageDeclarations = {
  EmailAccepted: {
    version: 3,
    personal: { subject: contactSubject, fields: email, ending: { client: ['ip'], content: ['content', 'merged'] } },
  },
  SmsAccepted: {
    version: 2,
    personal: { subject: contactSubject, fields: ['to', 'body', 'ip'], ending: { client: ['ip'], content: ['body'] } },
  },
  PushAccepted: { version: 1, personal: { subject: contactSubject, fields: push, ending: { content: push } } },
  PushAttempted: { version: 1 },
  PasscodeAccepted: { version: 2, personal: { subject: passcodeSubject, fields: ['to', 'ip'] } },
  MessageReaddressed: { version: 1, personal: { subject: contactSubject, fields: ['to'] } },
  MessageSent: { version: 1, personal: { subject: recipientSubject, fields: ['response'], isImpersonal } },
  MessageDelivered: { version: 1 },
  MessageBounced: { version: 1, personal: { subject: recipientSubject, fields: ['detail'] } },
  MessageComplained: { version: 1 },
  MessageFailed: { version: 1, personal: { subject: recipientSubject, fields: ['detail'] } },
  MessageSuppressed: { version: 1 },
  MessageSkipped: { version: 1 },
  MessageUnconfirmed: { version: 1 },
  MessageReceiptIgnored: { version: 1, personal: { subject: recipientSubject, fields: ['facts'] } },
  EmailOpened: { version: 1 },
  EmailClicked: { version: 1, personal: { subject: contactSubject, fields: ['url'] } },
  PushClicked: { version: 1, personal: { subject: contactSubject, fields: ['url'] } },
} as const satisfies EventDeclarations & Record<MessageEvent['type'], unknown>

/** Codes, and words of mail servers that are no person's name. `*` stands for the name of the mail. */
const ORDINARY = /^(?:(?:2\d\d|2\.\d{1,3}\.\d{1,3}|ok|queued|as|mail|message|accepted|for|delivery|(?:id=)?<?\*>?)[:.,]?(?: |$))+$/i

/**
 * Whether a provider's answer holds nothing but the name that it gave the message, which is kept in clear, and ordinary words: such an answer can
 * name no recipient, in whatever spelling.
 */
function isImpersonal({ providerMessageId, response = '' }: Readonly<{ providerMessageId: string; response?: string }>): boolean {
  return ORDINARY.test(response.replace(providerMessageId, '*'))
}
