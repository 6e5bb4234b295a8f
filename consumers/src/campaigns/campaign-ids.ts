import { uuidv5 } from '@tidings/codec'

/** The actor of what a campaign does. */
export function campaignActor(campaignId: string): string {
  return `campaign:${campaignId}`
}

/** The same campaign and contact always have the same message: whatever is killed, repeated or restored, one is sent (M36). */
export function campaignMessageId({
  workspaceId,
  campaignId,
  contactId,
}: Readonly<Record<'workspaceId' | 'campaignId' | 'contactId', string>>): string {
  return uuidv5(`message:${campaignId}:${contactId}`, workspaceId)
}
