import type { Recorded } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import {
  asCampaignId,
  type CampaignEvent,
  type CampaignId,
  type CampaignState,
  campaign,
  campaignStream,
  type WorkspaceId,
} from '@tidings/domain'
import { existingWorkspace } from './existing-workspace.ts'
import { isUuid } from './is-uuid.ts'
import type { Operator } from './with-operator.ts'

/** `name`: as it was created with, which never changes. */
export type ExistingCampaign = Readonly<{
  workspaceId: WorkspaceId
  campaignId: CampaignId
  name: string
  state: NonNullable<CampaignState>
  events: readonly Recorded<CampaignEvent>[]
}>

export type OfCampaign = Readonly<{ workspace: string; id: string }>

/** The campaign as of the log; throws one sentence when there is none. */
export async function existingCampaign(operator: Operator, { workspace, id }: OfCampaign): Promise<ExistingCampaign> {
  const { id: workspaceId } = await existingWorkspace(operator, workspace)
  const campaignId = asCampaignId(id.toLowerCase())
  const events = isUuid(campaignId)
    ? await operator.stores.log.readStream<CampaignEvent>(workspaceId, campaignStream(workspaceId, campaignId))
    : []
  const [created] = events
  const state = events.reduce(campaign.evolve, campaign.initialState)
  if (state === null || created?.type !== 'CampaignCreated') throw new OperationFailed(`Workspace ${workspace} has no campaign ${id}.`)
  return { workspaceId, campaignId, name: created.data.name, state, events }
}
