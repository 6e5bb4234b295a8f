import type { Transport } from '@tidings/bus'
import { startFlows, type WorkspaceView } from '@tidings/consumers'
import type { Job } from '@tidings/inbox'
import { kyselyOn } from '@tidings/postgres'
import type { ReadSide } from '@tidings/projections'
import { activityCounts, type ReadModels } from '@tidings/read-models'
import type { CommandSide } from '../command-side/command-side.ts'
import { observeFlows } from '../metrics/flow-metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{
  stores: Stores
  commandSide: CommandSide
  reads: ReadSide
  workspaces: WorkspaceView
  transport?: Transport
  onFault: (error: unknown, job: Job | null) => void
}>

/** Walks contacts through flows. `views` need a follower. */
export function startFlowRuns({ stores, commandSide, reads, workspaces, transport, onFault }: Parts): ReturnType<typeof startFlows> {
  observeFlows(stores.pool)
  const db = kyselyOn<ReadModels>(stores.pool)
  return startFlows({
    log: stores.log,
    pool: stores.workPool,
    commands: commandSide.commands,
    content: commandSide.contents,
    links: commandSide.dependencies.links,
    flows: commandSide.flows.view,
    entry: commandSide.flows.entry,
    workspaces,
    countEvents: (asked) => activityCounts(db, asked),
    reads,
    ...(transport && { transport }),
    onFault,
  })
}
