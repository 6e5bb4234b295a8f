import type { Recorded, StreamReader } from '@tidings/codec'
import { type CampaignEvent, type CampaignId, type CampaignState, campaign, campaignStream, type WorkspaceId } from '@tidings/domain'

/** `name`: as it was created with, which never changes. */
export type KnownCampaign = Readonly<{
  workspaceId: WorkspaceId
  campaignId: CampaignId
  name: string
  state: NonNullable<CampaignState>
  events: readonly Recorded<CampaignEvent>[]
}>

/** The campaign as of the log; null where the workspace has none of this id. */
export async function knownCampaign(
  log: StreamReader,
  { workspaceId, campaignId }: Pick<KnownCampaign, 'workspaceId' | 'campaignId'>,
): Promise<KnownCampaign | null> {
  const events = await log.readStream<CampaignEvent>(workspaceId, campaignStream(workspaceId, campaignId))
  const state = events.reduce(campaign.evolve, campaign.initialState)
  const [created] = events
  return state === null || created?.type !== 'CampaignCreated' ? null : { workspaceId, campaignId, name: created.data.name, state, events }
}
