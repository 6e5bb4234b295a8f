import { type Static, Type } from '@sinclair/typebox'
import { NullableTimestamp, nullableOneOf, nullableText, oneOf, Timestamp, Uuid } from './kinds.ts'
import { pageOf } from './pagination.ts'

const MessageStatus = oneOf('queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed', 'skipped')

/** The vocabulary of N171. */
const FailureReason = nullableOneOf(
  'hard_bounce',
  'soft_bounce',
  'invalid_address',
  'global_blocklist',
  'insufficient_credits',
  'sender_id_not_approved',
  'from_domain_not_verified',
  'provider_rejected',
  'provider_unavailable',
  'undeliverable',
  'expired',
  'template_render_failed',
  'no_consent',
  'frequency_cap',
  'quiet_hours',
  'campaign_cancelled',
  'spam_complaint',
  'push_endpoint_gone',
  'sms_stop',
  'list_cleanup',
)

/** The message status record. `sentAt` is the provider's acceptance. */
export const MessageRecord = Type.Object({
  id: Uuid,
  channel: oneOf('email', 'sms', 'push', 'voice', 'whatsapp'),
  status: MessageStatus,
  failureReason: FailureReason,
  providerMessageId: nullableText(),
  queuedAt: Timestamp,
  sentAt: NullableTimestamp,
  deliveredAt: NullableTimestamp,
  updatedAt: Timestamp,
})
export type MessageRecord = Static<typeof MessageRecord>

export const MessagePage = pageOf(MessageRecord)

/** The 202 of both transactional sends. */
export const MessageAccepted = Type.Object({ messageId: Uuid })
export type MessageAccepted = Static<typeof MessageAccepted>
