import { type KnownCampaign, knownCampaign } from '@tidings/administration'
import { OperationFailed } from '@tidings/config'
import { asCampaignId, isUuid } from '@tidings/domain'
import { existingWorkspace } from './existing-workspace.ts'
import type { Operator } from './with-operator.ts'

export type OfCampaign = Readonly<{ workspace: string; id: string }>

/** The campaign as of the log; throws one sentence when there is none. */
export async function existingCampaign(operator: Operator, { workspace, id }: OfCampaign): Promise<KnownCampaign> {
  const { id: workspaceId } = await existingWorkspace(operator, workspace)
  const campaignId = asCampaignId(id.toLowerCase())
  const known = isUuid(campaignId) ? await knownCampaign(operator.stores.log, { workspaceId, campaignId }) : null
  if (known === null) throw new OperationFailed(`Workspace ${workspace} has no campaign ${id}.`)
  return known
}
