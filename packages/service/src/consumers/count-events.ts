import type { CountEvents } from '@tidings/consumers'
import { kyselyOn } from '@tidings/postgres'
import { type ReadSide, requireShown } from '@tidings/projections'
import { activityCounts, type ReadModels } from '@tidings/read-models'
import type { Stores } from '../stores/open-stores.ts'

/** What the read models count, once they show everything that the log has now; throws `ReadSideBehind` while they do not (M44). */
export function countEvents({ pool, log }: Pick<Stores, 'pool' | 'log'>, readSide: Pick<ReadSide, 'wait'>): CountEvents {
  const db = kyselyOn<ReadModels>(pool)
  return async (asked) => {
    await requireShown(readSide, await log.head(), ['activity_facts'])
    return await activityCounts(db, asked)
  }
}
