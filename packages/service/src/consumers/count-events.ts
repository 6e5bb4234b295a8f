import type { CountEvents } from '@tidings/consumers'
import { kyselyOn } from '@tidings/postgres'
import type { ReadSide } from '@tidings/projections'
import { activityCounts, type ReadModels } from '@tidings/read-models'
import type { Stores } from '../stores/open-stores.ts'

/** What the read models count, once they show everything that the log has now; at the latest after 2 s as they are. */
export function countEvents({ pool, log }: Pick<Stores, 'pool' | 'log'>, readSide: Pick<ReadSide, 'wait'>): CountEvents {
  const db = kyselyOn<ReadModels>(pool)
  return async (asked) => {
    await readSide.wait(await log.head(), ['activity_facts'])
    return await activityCounts(db, asked)
  }
}
