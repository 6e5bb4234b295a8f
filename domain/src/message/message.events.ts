import { contactSubject, type Json } from '../contact/contact.events.ts'
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

/** What the recipient gets, complete: merge tags are resolved before it is stored. */
export type EmailContent = Readonly<{ subject: string; html: string; text: string | null }>

type OfMessage = { messageId: string; contactId: string; channel: MessageChannel }

// Stored for ever: change only together with an upcast.
/** Small content travels inside the event; large content is a sealed row that `contentId` names, written before the event. */
export type EmailAccepted = Event<
  'EmailAccepted',
  OfMessage & {
    to: string
    fromEmail: string
    fromName: string | null
    replyTo: string | null
    content: EmailContent | null
    contentId: string | null
    templateId: string | null
    kind: 'transactional' | 'marketing'
  }
>
/** `from`: a sender ID or a number. `credits`: what it costs. The whole body is inside: it has at most 1 600 characters. */
export type SmsAccepted = Event<
  'SmsAccepted',
  OfMessage & {
    to: string
    from: string
    body: string
    credits: number
    templateId: string | null
    kind: 'transactional' | 'marketing'
  }
>
export type MessageSent = Event<'MessageSent', OfMessage & { provider: string; providerMessageId: string }>
export type MessageDelivered = Event<'MessageDelivered', OfMessage>
export type MessageBounced = Event<'MessageBounced', OfMessage & { reason: FailureReason; hard: boolean; detail: string | null }>
export type MessageComplained = Event<'MessageComplained', OfMessage>
export type MessageFailed = Event<'MessageFailed', OfMessage & { reason: FailureReason; detail: string | null }>
export type MessageSuppressed = Event<'MessageSuppressed', OfMessage & { reason: FailureReason }>
export type MessageSkipped = Event<'MessageSkipped', OfMessage & { reason: FailureReason }>
/** The mail was sent to the provider and its answer is missing: it may have accepted it. Once a message, before it is sent again. */
type MessageUnconfirmed = Event<'MessageUnconfirmed', OfMessage & { provider: string }>
/** A receipt that came too late or repeated what is known: kept, but the status stays. */
export type MessageReceiptIgnored = Event<
  'MessageReceiptIgnored',
  OfMessage & { receipt: 'delivered' | 'bounced' | 'complained' | 'failed'; facts: Readonly<Record<string, Json>> | null }
>

/** `machine`: the caller was a program, not the recipient (M6). One of each kind is kept. */
export type EmailOpened = Event<'EmailOpened', OfMessage & { machine: boolean }>
/** `link`: which of the mail's links, counted from 0; `url`: where it leads, as the mail had it. */
export type EmailClicked = Event<'EmailClicked', OfMessage & { machine: boolean; link: number; url: string }>

export type MessageEvent =
  | EmailAccepted
  | SmsAccepted
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

const content = ['to', 'fromEmail', 'fromName', 'replyTo', 'content'] as const

export const messageDeclarations = {
  EmailAccepted: { version: 1, personal: { subject: contactSubject, fields: content } },
  SmsAccepted: { version: 1, personal: { subject: contactSubject, fields: ['to', 'body'] } },
  MessageSent: { version: 1 },
  MessageDelivered: { version: 1 },
  MessageBounced: { version: 1, personal: { subject: contactSubject, fields: ['detail'] } },
  MessageComplained: { version: 1 },
  MessageFailed: { version: 1, personal: { subject: contactSubject, fields: ['detail'] } },
  MessageSuppressed: { version: 1 },
  MessageSkipped: { version: 1 },
  MessageUnconfirmed: { version: 1 },
  MessageReceiptIgnored: { version: 1, personal: { subject: contactSubject, fields: ['facts'] } },
  EmailOpened: { version: 1 },
  EmailClicked: { version: 1, personal: { subject: contactSubject, fields: ['url'] } },
} satisfies EventDeclarations & Record<MessageEvent['type'], unknown>
