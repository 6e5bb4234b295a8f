import type pg from 'pg'
import type { LastSeen } from '../last-seen.ts'
import { type Batch, type Position, START } from '../port.ts'
import { assertContained, containsSeen, seenValues } from './contains-seen.ts'
import { FITS, mayBeCut, summed } from './page-bytes.ts'
import { type MatchingRequest, readMatching } from './read-matching.ts'
import { EVENT_COLUMNS, type EventRow, eventOf, RAW } from './rows.ts'

/** A pool or one connection. */
export type Queryable = Pick<pg.ClientBase, 'query'>

const READ_ALL = {
  name: 'es_read_all',
  text: `
    select ${EVENT_COLUMNS}, e.bytes, ${containsSeen(3, 4)}
    from ${summed('select * from es.event where position > $1 order by position limit $2', ['position'])}
    where ${FITS}
    order by e.position`,
  rowMode: 'array' as const,
  types: RAW,
}

const HEAD = {
  name: 'es_head',
  text: `select max(position), ${containsSeen(1, 2)} from es.event`,
  rowMode: 'array' as const,
  types: RAW,
}

/** Reads of the log whose answers only count where the log contains what was seen of it; else they throw LogWentBack. */
export type LogReads = Readonly<{
  /** Events after `after` in log order. Positions are dense, so nothing that commits later can appear before what was read. */
  readAll: (db: Queryable, after: Position | 'start', limit: number) => Promise<Batch>
  /** The same of the events that match. It looks at a window of positions at a time, so a batch may be empty. */
  readMatching: (db: Queryable, after: Position | 'start', wanted: MatchingRequest) => Promise<Batch>
  /** The position of the last event, or START. */
  head: (db: Queryable) => Promise<Position>
}>

export function logReads(lastSeen: LastSeen): LogReads {
  const head = async (db: Queryable): Promise<Position> => {
    const seen = lastSeen.current()
    const { rows } = await db.query<[string | null, contained: string]>({ ...HEAD, values: [...seenValues(seen)] })
    assertContained(lastSeen, seen, rows[0]?.[1])
    const last = rows[0]?.[0]
    return last == null ? START : { commit: BigInt(last), prepare: 0n }
  }
  return {
    head,
    readMatching: (db, after, wanted) => readMatching({ db, lastSeen }, after === 'start' ? START : after, wanted),
    readAll: async (db, after, limit) => {
      const from = after === 'start' ? START : after
      const seen = lastSeen.current()
      const { rows } = await db.query<[...EventRow, bytes: string, contained: string]>({
        ...READ_ALL,
        values: [from.commit, limit, ...seenValues(seen)],
      })
      if (rows[0] === undefined) await head(db)
      else assertContained(lastSeen, seen, rows[0][9])
      const events = rows.map(eventOf)
      lastSeen.see(events.at(-1))
      const cut = mayBeCut(Number(rows.at(-1)?.[8] ?? 0))
      return { events, to: events.at(-1)?.position ?? from, caughtUp: events.length < limit && !cut }
    },
  }
}
