import type { Recorded } from '@tidings/codec'
import { START } from '@tidings/event-store'
import type { AnyProjection } from '../projection.ts'
import type { RowCache } from '../row-cache.ts'
import { isRange } from '../row-range.ts'
import type { Generation } from '../sql/ddl.ts'
import { loadRange, loadRows, type Queryable } from '../sql/load-rows.ts'
import { WorkingSet } from '../working-set.ts'
import { FoldFailed } from './failure.ts'

/**
 * Loads images that are not cached. `beforeLoad` resolves when every row that is not in the cache is in its table, and `beforeRanges`
 * when all rows are.
 */
export type Source = Readonly<{
  db: Queryable
  generation: Generation
  cache: RowCache
  beforeLoad?: () => Promise<void>
  beforeRanges?: () => Promise<void>
}>

/** Folds the events in memory; throws `FoldFailed` with the index of the first that cannot be applied. Nothing is written. */
export async function foldBatch(projection: AnyProjection, events: readonly Recorded[], source: Source): Promise<WorkingSet> {
  const rows = new WorkingSet(source.cache, START)
  const refs = events.map((event, index) => attempt(index, () => projection.reads(event)))
  // First: what is written then counts as stored.
  if (refs.some((some) => some.some(isRange))) await source.beforeRanges?.()
  const named = refs.map((some) => rows.name(some))
  const missing = rows.missing()
  if (missing.size > 0) {
    await source.beforeLoad?.()
    // One after the other: the source may be a single connection.
    for (const [table, keys] of missing) {
      for (const image of await loadRows(source.db, table, { keys, generation: source.generation })) rows.load(table, image)
    }
  }
  for (const range of rows.ranges()) {
    for (const image of await loadRange(source.db, range, source.generation)) rows.load(range.table, image)
  }
  for (const [index, event] of events.entries()) {
    rows.at(event.position, named[index])
    attempt(index, () => projection.fold(event, rows))
  }
  return rows
}

const attempt = <Result>(index: number, work: () => Result): Result => {
  try {
    return work()
  } catch (error) {
    throw new FoldFailed(index, error)
  }
}
