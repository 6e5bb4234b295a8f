import type { Pool } from 'pg'
import type { StreamRange } from '../port.ts'

/** How many blocks are looked at to find ranges of about as many events: some 30 events each. */
const SAMPLED_BLOCKS = 500

const SAMPLE = {
  name: 'es_stream_sample',
  text: `
    select distinct stream_id as stream
    from es.event tablesample system (least(100, 100.0 * ${SAMPLED_BLOCKS} / greatest(pg_relation_size('es.event') / current_setting('block_size')::int, 1)))
    where stream_id >= $1 and stream_id < $2 order by stream_id`,
}

/** The store's `byStream.ranges`. The bounds are names that a sample met: they tell how much is in a range, not what. */
export async function streamRanges(db: Pick<Pool, 'query'>, category: string, count: number): Promise<readonly StreamRange[]> {
  const all: StreamRange = { from: `${category}-`, to: `${category}.` }
  const { rows } = await db.query<{ stream: string }>({ ...SAMPLE, values: [all.from, all.to] })
  const bounds = new Set(Array.from({ length: count - 1 }, (_, n) => rows[Math.floor(((n + 1) * rows.length) / count)]?.stream ?? all.from))
  const starts = [all.from, ...[...bounds].filter((bound) => bound > all.from)]
  return starts.map((from, n) => ({ from, to: starts[n + 1] ?? all.to }))
}
