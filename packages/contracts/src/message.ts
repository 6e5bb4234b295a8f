import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { NullableTimestamp, nullableOneOf, nullableText, oneOf, Timestamp, Uuid } from './kinds.ts'
import { pageOf } from './pagination.ts'

export const MessageStatus = named(
  'MessageStatus',
  oneOf('queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed', 'skipped'),
  'Where a message is in its life.',
)

export const MessageChannel = named('MessageChannel', oneOf('email', 'sms', 'push', 'voice', 'whatsapp'), 'What a message is sent by.')

/** The vocabulary of N171. */
const reasons = nullableOneOf(
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
  'address_changed',
)

const FailureReason = named('FailureReason', reasons, 'Why a message was not sent or not delivered; null where nothing went wrong.')

const record = Type.Object({
  id: Uuid,
  channel: MessageChannel,
  status: MessageStatus,
  failureReason: FailureReason,
  providerMessageId: nullableText(),
  queuedAt: Timestamp,
  sentAt: NullableTimestamp,
  deliveredAt: NullableTimestamp,
  updatedAt: Timestamp,
})

export const messageSentences = {
  id: 'The UUID of the message.',
  channel: 'What the message is sent by.',
  status: 'Where the message is in its life.',
  failureReason: 'Why the message was not sent or not delivered; null where nothing went wrong.',
  providerMessageId: 'The id that the provider gave the message, once it accepted it; else null.',
  queuedAt: 'When the send was accepted.',
  sentAt: 'When the provider accepted the message, or null.',
  deliveredAt: 'When the provider reported the delivery, or null.',
  updatedAt: 'When the status changed last.',
} as const

/** The message status record. `sentAt` is the provider's acceptance. */
export const MessageRecord = described(record, {
  name: 'Message',
  about: 'What became of a message.',
  fields: messageSentences,
  example: {
    id: exampleIds.message,
    channel: 'email',
    status: 'queued',
    failureReason: null,
    providerMessageId: null,
    queuedAt: exampleTime,
    sentAt: null,
    deliveredAt: null,
    updatedAt: exampleTime,
  },
})
export type MessageRecord = Static<typeof MessageRecord>

export const MessagePage = pageOf(MessageRecord)

/** The 202 of both transactional sends. */
export const MessageAccepted = described(Type.Object({ messageId: Uuid }), {
  name: 'MessageAccepted',
  about: 'A send that was accepted for processing. Accepted is not delivered.',
  fields: { messageId: 'The UUID of the message: read its status under it.' },
  example: { messageId: exampleIds.message },
})
export type MessageAccepted = Static<typeof MessageAccepted>
