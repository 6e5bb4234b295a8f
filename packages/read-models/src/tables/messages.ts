import type { FailureReason, MessageChannel, MessageStatus } from '@tidings/domain'

export type MessageRow<Time = Date> = {
  workspace_id: string
  id: string
  contact_id: string | null
  channel: MessageChannel
  status: MessageStatus
  failure_reason: FailureReason | null
  provider_message_id: string | null
  queued_at: Time
  sent_at: Time | null
  delivered_at: Time | null
  updated_at: Time
}

/** What a mail server calls a mail, where that is no name of ours. */
export type ProviderIdRow<Time = Date> = {
  workspace_id: string
  provider_message_id: string
  message_id: string
  sent_at: Time
}

/** `sender` as it was written; `sender_key` as it is compared (`smsSenderKey`). */
export type SmsRecipientRow<Time = Date> = {
  workspace_id: string
  contact_id: string
  sender_key: string
  sender: string
  phone: string
  last_at: Time
  /** The last message. */
  message_id: string
}

/** A text that is accepted and of which nothing else is known yet. */
export type WaitingTextRow<Time = Date> = {
  workspace_id: string
  message_id: string
  contact_id: string
  sender_key: string
  sender: string
  phone: string
  accepted_at: Time
}

export type MessageTotalRow = { workspace_id: string; total: bigint }
