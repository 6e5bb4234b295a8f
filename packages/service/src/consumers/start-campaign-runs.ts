import type { Transport } from '@tidings/bus'
import { type createCampaignView, startCampaigns, type WorkspaceView } from '@tidings/consumers'
import type { Job } from '@tidings/inbox'
import type { ReadSide } from '@tidings/projections'
import type { CommandSide } from '../command-side/command-side.ts'
import { observeCampaigns } from '../metrics/campaign-metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{
  stores: Stores
  commandSide: CommandSide
  reads: ReadSide
  workspaces: WorkspaceView
  campaigns: ReturnType<typeof createCampaignView>
  transport?: Transport
  onFault: (error: unknown, job: Job | null) => void
}>

/** Sends campaigns. `views` need a follower. */
export function startCampaignRuns({ stores, commandSide, reads, transport, ...rest }: Parts): ReturnType<typeof startCampaigns> {
  const { workspaces, campaigns, onFault } = rest
  observeCampaigns(stores.pool)
  return startCampaigns({
    log: stores.log,
    pool: stores.workPool,
    commands: commandSide.commands,
    content: commandSide.contents,
    links: commandSide.dependencies.links,
    reads,
    workspaces,
    campaigns,
    ...(transport && { transport }),
    onFault,
  })
}
