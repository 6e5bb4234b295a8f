import type { Command } from '../kernel.ts'
import type { EmailAccepted, FailureReason } from './message.events.ts'

export type AcceptEmail = Command<'AcceptEmail', Omit<EmailAccepted['data'], 'channel'>>
/** The provider took it. */
export type RecordSent = Command<'RecordSent', { provider: string; providerMessageId: string }>
/** The mail was handed over, and whether the provider took it is not known. */
export type RecordUnconfirmed = Command<'RecordUnconfirmed', { provider: string }>
export type RecordDelivered = Command<'RecordDelivered', Record<never, never>>
export type RecordBounced = Command<'RecordBounced', { reason: FailureReason; hard: boolean; detail: string | null }>
export type RecordComplained = Command<'RecordComplained', Record<never, never>>
export type RecordFailed = Command<'RecordFailed', { reason: FailureReason; detail: string | null }>
/** Held back because of the recipient. */
export type RecordSuppressed = Command<'RecordSuppressed', { reason: FailureReason }>
/** Held back because of the workspace or the moment. */
export type RecordSkipped = Command<'RecordSkipped', { reason: FailureReason }>

export type MessageCommand =
  | AcceptEmail
  | RecordSent
  | RecordUnconfirmed
  | RecordDelivered
  | RecordBounced
  | RecordComplained
  | RecordFailed
  | RecordSuppressed
  | RecordSkipped
