import { uuidv5 } from '@tidings/codec'
import { asMessageId, type CampaignId, type ContactId, type MessageId, type WorkspaceId } from '@tidings/domain'

/** The actor of what a campaign does. */
export function campaignActor(campaignId: CampaignId): string {
  return `campaign:${campaignId}`
}

/** The same campaign and contact always have the same message: whatever is killed, repeated or restored, one is sent (M36). */
export function campaignMessageId({
  workspaceId,
  campaignId,
  contactId,
}: Readonly<{ workspaceId: WorkspaceId; campaignId: CampaignId; contactId: ContactId }>): MessageId {
  return asMessageId(uuidv5(`message:${campaignId}:${contactId}`, workspaceId))
}
