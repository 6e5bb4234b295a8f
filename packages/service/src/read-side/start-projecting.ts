import type { Log } from '@tidings/log'
import { type Projectors, startProjectors } from '@tidings/projectors'
import { observeProjections } from '../metrics/metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

/** Folds the log into the read models, with its failures in the log and its lag in the metrics. */
export function startProjecting(stores: Stores, log: Log): Projectors {
  const onFailure = (projection: string, error: unknown): void => log.error({ err: error, projection }, 'a projection failed')
  const projectors = startProjectors({ log: stores.log, pool: stores.workPool, onFailure, threads: () => stores.rebuildThreads() })
  observeProjections(stores, projectors.progress)
  return projectors
}
