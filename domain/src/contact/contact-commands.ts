import type { AddressFacts } from '../claim/address-facts.ts'
import type { Command } from '../kernel.ts'
import type {
  ConsentChannel,
  ConsentStatus,
  ContactDetails,
  EmailValidationState,
  Json,
  SuppressionChannel,
  SuppressionReason,
  UnsubscribedBy,
} from './contact.events.ts'

/** A person's consent on one channel, with the evidence: source, address, user agent, and the message that led to it, if one did. */
export type ConsentStatement = Readonly<{
  channel: ConsentChannel
  status: ConsentStatus
  source: string
  ip: string | null
  userAgent: string | null
  message?: UnsubscribedBy
}>

/** A value under its claim, with what is known of it; both null takes the value away. */
export type ClaimedValue = Readonly<{ value: string; claimId: string; facts?: AddressFacts }> | Readonly<{ value: null; claimId: null }>

/** A missing field stays as it is. `tags` replace; `customProperties` merge, and a null deletes its key (G12). */
export type ContactPatch = Partial<Omit<ContactDetails, 'customProperties'>> &
  Readonly<{ customProperties?: Readonly<Record<string, Json>> }>

type OfContact<Data> = Readonly<{ contactId: string }> & Data

export type CreateContact = Command<
  'CreateContact',
  OfContact<{ email?: ClaimedValue; phone?: ClaimedValue; details: ContactPatch; consents?: readonly ConsentStatement[]; source: string }>
>
/** `fillsOnly`: of the details only what is empty is set (M63). */
export type UpdateContact = Command<
  'UpdateContact',
  OfContact<{
    email?: ClaimedValue
    phone?: ClaimedValue
    details?: ContactPatch
    fillsOnly?: boolean
    consents?: readonly ConsentStatement[]
  }>
>
type RecordConsent = Command<'RecordConsent', OfContact<{ consents: readonly ConsentStatement[] }>>
export type SuppressContact = Command<'SuppressContact', OfContact<{ channels: readonly SuppressionChannel[]; reason: SuppressionReason }>>
export type LiftSuppression = Command<'LiftSuppression', OfContact<{ channels: readonly SuppressionChannel[] }>>
export type ValidateEmail = Command<'ValidateEmail', OfContact<{ email: string; state: EmailValidationState }>>
/** The outcome of a mail to `email`, with its consequences for the contact (N48, N171, N188). */
export type NoteEmailOutcome = Command<
  'NoteEmailOutcome',
  OfContact<{ email: string; outcome: 'delivered' | 'hard_bounce' | 'invalid_address' | 'spam_complaint' }>
>
/** The number can never be reached (N188). */
export type NoteSmsUnreachable = Command<'NoteSmsUnreachable', OfContact<{ phone: string }>>
/** The person at the number answered STOP or START to a message (N188). */
export type NoteSmsReply = Command<'NoteSmsReply', OfContact<{ phone: string; reply: 'stop' | 'start'; message: UnsubscribedBy | null }>>
/** A gateway refused the message, because the person asked it to stop (M49). */
export type NoteSmsOptOut = Command<'NoteSmsOptOut', OfContact<{ message: UnsubscribedBy }>>
/** A browser was registered for web push, and that is consent. `registration`: which one of the endpoint. */
export type AddBrowser = Command<'AddBrowser', OfContact<{ endpointHash: string; registration: number; consent: ConsentStatement }>>
/** `gone`: its push service says so (N188). `moved`: it was registered for another contact (N152). */
export type RemoveBrowser = Command<'RemoveBrowser', OfContact<{ endpointHash: string; registration: number; because: 'gone' | 'moved' }>>
/** Fences a claim: afterwards nothing can be written under `claimId`. */
export type AbandonClaim = Command<'AbandonClaim', OfContact<{ claimId: string }>>
/** Forgets the person: every later command about the contact is refused. */
export type RequestErasure = Command<'RequestErasure', OfContact<Record<never, never>>>
/** Its key is destroyed. */
export type CompleteErasure = Command<'CompleteErasure', OfContact<Record<never, never>>>

export type ContactCommand =
  | CreateContact
  | UpdateContact
  | RecordConsent
  | SuppressContact
  | LiftSuppression
  | ValidateEmail
  | NoteEmailOutcome
  | NoteSmsUnreachable
  | NoteSmsReply
  | NoteSmsOptOut
  | AddBrowser
  | RemoveBrowser
  | AbandonClaim
  | RequestErasure
  | CompleteErasure
