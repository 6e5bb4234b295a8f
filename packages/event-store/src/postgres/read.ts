import type pg from 'pg'
import { MAX_APPEND_BYTES } from '../append-rules.ts'
import { StreamDeleted } from '../errors.ts'
import { type Batch, type Position, type ReadStreamOptions, type RecordedEvent, START } from '../port.ts'
import { EVENT_COLUMNS, type EventRow, eventOf, RAW } from './rows.ts'

/** A pool or one connection. */
type Queryable = Pick<pg.ClientBase, 'query'>

/** One read of the log brings at most this many bytes of data and metadata, and always one event. The sum costs 0.2 of 2.1 µs an event. */
const MAX_READ_BYTES = 16 * 1024 * 1024

const READ_ALL = {
  name: 'es_read_all',
  text: `
    select ${EVENT_COLUMNS}, e.bytes
    from (select s.*, sum(octet_length(s.data) + octet_length(s.meta)) over (order by s.position rows unbounded preceding) as bytes
          from (select * from es.event where position > $1 order by position limit $2) s) e
    where e.bytes <= ${MAX_READ_BYTES} or e.bytes = octet_length(e.data) + octet_length(e.meta)
    order by e.position`,
  rowMode: 'array' as const,
  types: RAW,
}

/** Events after `after` in log order. Positions are dense, so nothing that commits later can appear before what was read. */
export const readAll = async (db: Queryable, after: Position | 'start', limit: number): Promise<Batch> => {
  const from = after === 'start' ? START : after
  const { rows } = await db.query<[...EventRow, bytes: string]>({ ...READ_ALL, values: [from.commit, limit] })
  const events = rows.map(eventOf)
  const cut = Number(rows.at(-1)?.[8] ?? 0) > MAX_READ_BYTES - MAX_APPEND_BYTES
  return { events, to: events.at(-1)?.position ?? from, caughtUp: events.length < limit && !cut }
}

/** The position of the last event, or START. */
export const head = async (db: Queryable): Promise<Position> => {
  const { rows } = await db.query<[string | null]>({
    name: 'es_head',
    text: 'select max(position) from es.event',
    rowMode: 'array',
    types: RAW,
  })
  const last = rows[0]?.[0]
  return last == null ? START : { commit: BigInt(last), prepare: 0n }
}

/**
 * The bounds come first, as one row, so that the scan of the stream is an index range and a tombstone is seen even without events.
 * `$2` is where to start (null: the end the direction starts from), `$3` how many.
 */
const readStreamSql = (direction: 'forwards' | 'backwards'): string => `
  with bound as materialized (
    select coalesce(m.tombstoned, false) as tombstoned,
           greatest(0, m.deleted_before, m.truncate_before,
             case when m.max_count is not null
               then (select max(l.revision) from es.event l where l.stream_id = $1) + 1 - m.max_count end) as lowest,
           coalesce(now() - make_interval(secs => m.max_age_seconds), '-infinity') as oldest
    from (select) one left join es.stream_meta m on m.stream_id = $1
  )
  select ${EVENT_COLUMNS}, b.tombstoned
  from bound b left join lateral (
    select * from es.event s
    where s.stream_id = $1 and s.revision >= (select lowest from bound) and s.created >= b.oldest and not b.tombstoned
      and ${direction === 'forwards' ? 's.revision >= coalesce($2, 0)' : 's.revision <= coalesce($2, 2147483647)'}
    order by s.revision ${direction === 'forwards' ? 'asc' : 'desc'} limit $3
  ) e on true`

const READ_STREAM = {
  forwards: { name: 'es_read_forwards', text: readStreamSql('forwards'), rowMode: 'array' as const, types: RAW },
  backwards: { name: 'es_read_backwards', text: readStreamSql('backwards'), rowMode: 'array' as const, types: RAW },
}

/** The stream's visible events; none for a missing or soft-deleted stream. Throws StreamDeleted for a tombstoned one. */
export const readStream = async (db: Queryable, stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> => {
  const { from = null, direction = 'forwards', limit = null } = options
  const { rows } = await db.query<[...EventRow, string]>({ ...READ_STREAM[direction], values: [stream, from, limit] })
  if (rows[0]?.[8] === 't') throw new StreamDeleted(`stream ${stream} is deleted`)
  return rows.filter((row) => row[0] !== null).map((row) => eventOf(row))
}
