import type { Transport } from '@tidings/bus'
import { type RunningConsumers, startErasures } from '@tidings/consumers'
import type { Log } from '@tidings/log'
import type { CommandSide } from '../command-side/command-side.ts'
import { personalPlaces } from '../erasures/personal-places.ts'
import { settleErasure } from '../erasures/settle-erasure.ts'
import { observeErasures } from '../metrics/erasure-metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{ log: Log; stores: Stores; commandSide: CommandSide; transport?: Transport }>

/** Finishes erasures of persons that the process that was asked has left. */
export function startErasing({ log, stores, commandSide, transport }: Parts): RunningConsumers {
  observeErasures(stores.pool)
  return startErasures({
    log: stores.log,
    pool: stores.workPool,
    commands: commandSide.commands,
    keyRing: stores.keyRing,
    canWork: stores.masters.isInForce,
    places: personalPlaces(stores),
    settle: (position) => settleErasure(stores, position),
    ...(transport && { transport }),
    onFault: (error) => log.warn({ err: error }, 'an erasure could not be finished; it is tried again'),
  })
}
