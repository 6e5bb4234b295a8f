import type { Transport } from '@tidings/bus'
import { type RunningConsumers, startAbandonedCarts, type WorkspaceView } from '@tidings/consumers'
import type { Log } from '@tidings/log'
import { kyselyOn } from '@tidings/postgres'
import { lastActivities, type ReadModels } from '@tidings/read-models'
import type { CommandSide } from '../command-side/command-side.ts'
import { countCart } from '../metrics/activity-metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{ log: Log; stores: Stores; commandSide: CommandSide; workspaces: WorkspaceView; transport?: Transport }>

/** Finds abandoned carts by what the read side shows, once it shows all of the log. */
export function startFindingCarts({ log, stores, commandSide, workspaces, transport }: Parts): RunningConsumers {
  const db = kyselyOn<ReadModels>(stores.workPool)
  return startAbandonedCarts({
    log: stores.log,
    pool: stores.workPool,
    runner: commandSide.commands,
    workspaces,
    lastActivities: (workspaceId, contactId, events) => lastActivities(db, { workspaceId, contactId, events }),
    reads: commandSide.dependencies.readSide,
    ...(transport && { transport }),
    onOutcome: countCart,
    onFault: (error, job) => log.error({ err: error, ...(job && { seq: String(job.seq) }) }, 'an abandoned cart could not be looked at'),
  })
}
