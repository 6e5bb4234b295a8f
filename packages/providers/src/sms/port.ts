import type { MessageId, SmsKeyword, WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import type { SendOptions } from '../port.ts'
import type { TakenMessage } from '../taken.ts'

/**
 * One text message, final. `to`: E.164. `from`: a sender ID of up to 11 characters, or a number. `ownNumber`: the number in E.164 that stands
 * behind the sender ID, null for none, as of when the fence was asked last (M48).
 */
export type SmsMessage = Readonly<{
  workspaceId: WorkspaceId
  messageId: MessageId
  to: string
  from: string
  body: string
  ownNumber?: () => string | null
}>

/** What the gateway is given as the sender. For a message whose fence has been asked: before that its number is not known. */
export function gatewaySender({ from, ownNumber }: SmsMessage): string {
  return ownNumber?.() ?? from
}

/** How text messages leave. Throws `DeliveryError` and nothing else, besides what `fence` throws. */
export type SmsProvider = Readonly<{
  name: string
  /** Longest time of one call, in ms, from the fence on. The wait before it is not limited. */
  callMs: number
  send: (message: SmsMessage, options: SendOptions) => Promise<TakenMessage>
  /** A message goes to one of several, and it is put down to which before it leaves (M68). */
  hasSeveral?: boolean
  /** Why no message can leave at all, null while it can. The provider notices by itself when that is over. */
  outage: () => string | null
  close: () => Promise<void>
}>

/**
 * What a provider reports about a message or a call later. The ids are ours, null where the provider does not repeat them. `reason` is null
 * but for `failed`: invalid_address is a number that can never be reached, sms_stop one whose owner asked the gateway to stop. `at`: ISO, when the report came. `detail` may name the recipient;
 * `recipients` are the numbers in E.164 that it is about, where it says so. `provider`: the label of the one that reports, where that is known.
 */
export type SmsReceipt = Readonly<{
  workspaceId: WorkspaceId | null
  messageId: MessageId | null
  providerMessageId: string
  status: 'sent' | 'delivered' | 'failed'
  reason: 'undeliverable' | 'expired' | 'provider_rejected' | 'invalid_address' | 'sms_stop' | null
  detail: string | null
  at: string
  recipients?: readonly string[]
  provider?: string
}>

/** A message that an SMSC took, with its ids of the parts, in their order; an empty one where it gave none. */
export type SubmittedSms = Readonly<{ workspaceId: WorkspaceId; messageId: MessageId; partIds: readonly string[] }>

/** What an SMSC reports of one part. `partId` as the receipt writes it; `numbers`: the two it names, one of which is the recipient's. */
export type PartReceipt = Readonly<{
  status: SmsReceipt['status']
  reason: SmsReceipt['reason']
  detail: string | null
  partId: string
  numbers: readonly string[]
}>

/** A text message that somebody sent to one of our numbers. `keyword`: what the gateway itself took it for (M49). */
export type InboundSms = Readonly<{ providerMessageId: string; from: string; to: string; body: string; at: string; keyword?: SmsKeyword }>

/**
 * What an SMS provider is opened with. `provider`: its address. `connections`: how many requests may be under way at once. `onOutage` gets why nothing can leave, once when an outage begins, and null when it
 * is over. `onSubmitted`, `onReceipt` and `onInbound` are for a provider that reports over its own connection; one that posts to a route does not
 * call them. `onWarning` gets a sentence, without a number, about what the other side does wrong.
 */
export type SmsProviderOptions = Readonly<{
  provider: string
  publicUrl: string
  pool: Pool
  connections?: number
  callMs?: number
  onOutage?: (reason: string | null) => void
  onSubmitted?: (sms: SubmittedSms) => Promise<void>
  onReceipt?: (receipt: PartReceipt) => Promise<'taken' | 'unknown'>
  onInbound?: (sms: InboundSms) => Promise<void>
  onWarning?: (sentence: string) => void
}>
