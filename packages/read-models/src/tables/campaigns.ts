import type { CampaignId, MessageId, WorkspaceId } from '@tidings/domain'

/** What `campaign_results` counts. `sent`: the provider has it, by its answer or by a receipt. */
export type CampaignOutcome =
  | 'accepted'
  | 'queued'
  | 'sent'
  | 'delivered'
  | 'opened'
  | 'clicked'
  | 'bounced'
  | 'complained'
  | 'unsubscribed'
  | 'failed'
  | 'suppressed'
  | 'skipped'

/** How many messages of a variant have had an outcome. `queued` goes down again; `reason` is empty where an outcome has none. */
export type CampaignResultRow = {
  workspace_id: WorkspaceId
  campaign_id: CampaignId
  variant: number
  outcome: CampaignOutcome
  reason: string
  messages: bigint
}

/**
 * A message of a campaign that has not had its provider's answer. `taken`: a receipt came before that answer, and shows that the provider
 * has the message.
 */
export type CampaignQueueRow = { workspace_id: WorkspaceId; message_id: MessageId; taken: boolean }

/** A message that its recipient clicked in, or unsubscribed by: counted once. */
export type CampaignResponseRow = { workspace_id: WorkspaceId; message_id: MessageId; response: 'clicked' | 'unsubscribed' }
