import type { Transport } from '@tidings/bus'
import { startDynamicLists } from '@tidings/consumers'
import type { Log } from '@tidings/log'
import type { ReadSide } from '@tidings/projections'
import type { CommandSide } from '../command-side/command-side.ts'
import { observeLists } from '../metrics/list-metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{ log: Log; stores: Stores; commandSide: CommandSide; reads: ReadSide; transport?: Transport }>

/** Keeps the members of dynamic lists what their rules say. */
export function startFollowingLists({ log, stores, commandSide, reads, transport }: Parts): ReturnType<typeof startDynamicLists> {
  observeLists(stores.pool)
  return startDynamicLists({
    log: stores.log,
    pool: stores.workPool,
    runner: commandSide.commands,
    reads,
    ...(transport && { transport }),
    onFault: (error) =>
      log.error({ err: error }, 'members of dynamic lists could not be brought up to date for a moment; it is tried again'),
  })
}
