import type pg from 'pg'
import type { LastSeen } from '../last-seen.ts'
import type { StreamBatch, StreamMatch, StreamRange, StreamRevision } from '../port.ts'
import { assertContained, containsSeen, seenValues } from './contains-seen.ts'
import { FITS, mayBeCut, summed } from './page-bytes.ts'
import { EVENT_COLUMNS, type EventRow, eventOf, RAW } from './rows.ts'

const MATCHING = `
      select * from es.event where (stream_id, revision) > ($1::text, $2::bigint) and stream_id < $3::text and position <= $4::bigint
        and (type = any($5::text[]) or type <> all($6::text[]))
      order by stream_id, revision limit $7`

/**
 * Reads by the index over stream and revision. It returns at least one row, which says whether the log contains what was seen of it, and which
 * event is the last seen one: a log that was set back and grew again has another event there.
 */
const READ_BY_STREAM = {
  name: 'es_read_by_stream',
  text: `
    select h.contained, h.id, e.bytes, ${EVENT_COLUMNS}
    from (select ${containsSeen(8, 9)} as contained, (select k.event_id from es.event k where k.position = $8::bigint) as id) h
    left join ${summed(MATCHING, ['stream_id', 'revision'])} on ${FITS}
    order by e.stream_id, e.revision`,
  rowMode: 'array' as const,
  types: RAW,
}

type StreamBatchRow = readonly [contained: string, id: string | null, bytes: string | null, ...EventRow]

type Log = Readonly<{ db: Pick<pg.ClientBase, 'query'>; lastSeen: LastSeen }>
type StreamBatchRequest = Readonly<{ range: StreamRange; after: StreamRevision | null; limit: number; match: StreamMatch }>

export async function readByStream({ db, lastSeen }: Log, { range, after, limit, match }: StreamBatchRequest): Promise<StreamBatch> {
  const { types, knownTypes, upTo } = match
  lastSeen.reach(upTo)
  const seen = lastSeen.current()
  const { stream, revision } = after ?? { stream: range.from, revision: -1 }
  const values = [stream, revision, range.to, upTo.commit, types, knownTypes, limit, ...seenValues(seen)]
  const { rows } = await db.query<[...StreamBatchRow]>({ ...READ_BY_STREAM, values })
  const [contained, id] = rows[0] ?? []
  assertContained(lastSeen, seen, contained)
  if (id != null) lastSeen.see({ position: seen.position, id })
  const events = rows.flatMap(([, , bytes, ...event]) => (bytes === null ? [] : [eventOf(event)]))
  const last = events.at(-1)
  const isCut = events.length === limit || mayBeCut(Number(rows.at(-1)?.[2] ?? 0))
  return { events, next: isCut && last !== undefined ? { stream: last.stream, revision: last.revision } : null }
}
