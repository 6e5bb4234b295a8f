import type {
  CampaignId,
  ContactId,
  FailureReason,
  FlowId,
  MessageChannel,
  MessageId,
  MessageStatus,
  TemplateId,
  WorkspaceId,
} from '@tidings/domain'

/** What a message is for; a passcode is neither of the other two. */
type MessageKind = 'transactional' | 'marketing' | 'passcode'

/** `opened_at` and `clicked_at`: the first time that a person did, not a program (M6). */
export type MessageRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: MessageId
  contact_id: ContactId | null
  channel: MessageChannel
  status: MessageStatus
  failure_reason: FailureReason | null
  provider_message_id: string | null
  queued_at: Time
  sent_at: Time | null
  delivered_at: Time | null
  updated_at: Time
  kind: MessageKind
  template_id: TemplateId | null
  campaign_id: CampaignId | null
  flow_id: FlowId | null
  opened_at: Time | null
  clicked_at: Time | null
}

/** What a mail server calls a mail, where that is no name of ours. */
export type ProviderIdRow<Time = Date> = {
  workspace_id: WorkspaceId
  provider_message_id: string
  message_id: MessageId
  sent_at: Time
}

/** `sender` as it was written; `sender_key` as it is compared (`smsSenderKey`). */
export type SmsRecipientRow<Time = Date> = {
  workspace_id: WorkspaceId
  contact_id: ContactId
  sender_key: string
  sender: string
  phone: string
  last_at: Time
  /** The last message. */
  message_id: MessageId
}

/** A text that is accepted and of which nothing else is known yet. */
export type WaitingTextRow<Time = Date> = {
  workspace_id: WorkspaceId
  message_id: MessageId
  contact_id: ContactId
  sender_key: string
  sender: string
  phone: string
  accepted_at: Time
}

export type MessageTotalRow = { workspace_id: WorkspaceId; total: bigint }
