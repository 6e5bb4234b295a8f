import type { Recorded } from '@tidings/codec'
import type { PoolClient } from 'pg'
import { describe, FoldFailed, judge } from '../follow/failure.ts'
import { foldBatch } from '../follow/fold-batch.ts'
import type { ParkedEvent } from '../follow/parking.ts'
import type { AnyProjection } from '../projection.ts'
import type { Images, RowCache } from '../row-cache.ts'
import type { Generation } from '../sql/ddl.ts'

/** `cache` holds what the tables of the generation hold. */
export type Careful = Readonly<{
  projection: AnyProjection
  client: PoolClient
  generation: Generation
  cache: RowCache
  write: (rows: Images) => Promise<void>
  parked: ParkedEvent[]
  parkedStreams: Set<string>
}>

/** Runs `applyCarefully` in a transaction of its own. */
export async function applyInTransaction(careful: Careful, events: readonly Recorded[]): Promise<void> {
  await careful.client.query('begin')
  try {
    await applyCarefully(careful, events)
    await careful.client.query('commit')
  } catch (error) {
    await careful.client.query('rollback').catch(() => undefined) // a lost session has rolled back by itself
    throw error
  }
}

/**
 * Folds the events and writes their rows at once, within a transaction. A batch that cannot be applied is halved, as the live owner does, until
 * the event that the fold or Postgres refuses is alone: it parks its stream, and the events around it are applied.
 */
export async function applyCarefully(careful: Careful, events: readonly Recorded[]): Promise<void> {
  const { client, parkedStreams } = careful
  const wanted = events.filter(({ stream }) => !parkedStreams.has(stream))
  const [first] = wanted
  if (first === undefined) return
  await client.query('savepoint batch')
  const refusal = await tryAll(careful, wanted)
  await client.query(refusal === null ? 'release batch' : 'rollback to batch; release batch')
  if (refusal === null) return
  if (wanted.length === 1) {
    careful.parked.push({ event: first, error: describe(refusal).message })
    parkedStreams.add(first.stream)
    return
  }
  const cut = refusal instanceof FoldFailed ? Math.max(refusal.index, 1) : Math.floor(wanted.length / 2)
  await applyCarefully(careful, wanted.slice(0, cut))
  await applyCarefully(careful, wanted.slice(cut))
}

/** Null where all are written, else why some never can be; throws what has nothing to do with them. */
const tryAll = async (
  { projection, client: db, generation, cache, write }: Careful,
  events: readonly Recorded[],
): Promise<Error | null> => {
  try {
    const rows = await foldBatch(projection, events, { db, generation, cache })
    await write(rows.written)
    rows.keep()
    return null
  } catch (error) {
    if (judge(error) === 'poison' && error instanceof Error) return error
    throw error
  }
}
