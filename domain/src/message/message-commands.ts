import type { Command } from '../kernel.ts'
import type { EmailAccepted, FailureReason, PasscodeAccepted, PushAccepted, PushAttempted, SmsAccepted } from './message.events.ts'

type AcceptEmail = Command<'AcceptEmail', Omit<EmailAccepted['data'], 'channel'>>
type AcceptSms = Command<'AcceptSms', Omit<SmsAccepted['data'], 'channel'>>
type AcceptPush = Command<'AcceptPush', Omit<PushAccepted['data'], 'channel'>>
type AcceptPasscode = Command<'AcceptPasscode', Omit<PasscodeAccepted['data'], 'contactId'>>
/** It is about to be handed over to this address, which the contact has by now. */
export type ReaddressMessage = Command<'ReaddressMessage', { to: string }>
/** The provider accepted it. */
export type RecordSent = Command<'RecordSent', { provider: string; providerMessageId: string; response?: string }>
/**
 * The answers of the browsers of a push, by the hashes of their endpoints, where not all of them did: `waiting` are tried again. Once one has
 * accepted it, the message is sent; `providerMessageId` is then that one's.
 */
export type RecordPushAttempt = Command<
  'RecordPushAttempt',
  Omit<PushAttempted['data'], 'messageId' | 'contactId' | 'channel'> & {
    provider: string
    providerMessageId: string | null
  }
>
/** `named`: the recipients that the report names, in every spelling that the message may have them in; absent where it names none. */
type Reported = { named?: readonly string[] }
/** The provider reported later that it has it. A passcode counts as sent only with the answer that its caller waits for. */
export type ConfirmSent = Command<'ConfirmSent', RecordSent['data'] & Reported>
/** The mail was sent to the provider, and its answer is missing. */
type RecordUnconfirmed = Command<'RecordUnconfirmed', { provider: string }>
type RecordDelivered = Command<'RecordDelivered', Reported>
type RecordBounced = Command<'RecordBounced', { reason: FailureReason; hard: boolean; detail: string | null } & Reported>
type RecordComplained = Command<'RecordComplained', Record<never, never>>
type RecordFailed = Command<'RecordFailed', { reason: FailureReason; detail: string | null } & Reported>
/** The message is not sent, because of the recipient. */
type RecordSuppressed = Command<'RecordSuppressed', { reason: FailureReason }>
/** The message is not sent, because of the workspace or the moment. */
type RecordSkipped = Command<'RecordSkipped', { reason: FailureReason }>

export type MessageCommand =
  | AcceptEmail
  | AcceptSms
  | AcceptPush
  | AcceptPasscode
  | ReaddressMessage
  | RecordSent
  | RecordPushAttempt
  | ConfirmSent
  | RecordUnconfirmed
  | RecordDelivered
  | RecordBounced
  | RecordComplained
  | RecordFailed
  | RecordSuppressed
  | RecordSkipped
