import type pg from 'pg'
import { MAX_APPEND_BYTES } from '../append-rules.ts'
import type { LastSeen, Seen } from '../last-seen.ts'
import { type Batch, type EventMatch, type Position, type RecordedEvent, START } from '../port.ts'
import { copyOut, literal } from './copy-out.ts'
import { assertHeld, heldWhere } from './holds-seen.ts'
import { COPIED_COLUMNS, eventIn, MAX_READ_BYTES } from './rows.ts'

/** Positions that one statement looks at: some 50 ms of one core, whatever matches. */
const WINDOW = 50_000n

/** One row at least: the head is of the same snapshot as the events. Positions are dense, so a window of them is one of events. */
const readMatchingSql = (after: bigint, window: bigint, { limit, match }: Wanted, seen: Seen): string => {
  const { types, metaStart, since, knownTypes, part } = match
  const listed = (names: readonly string[]): string => `${literal(names)}::text[]`
  const wanted = [
    `position > ${literal(after)} and position <= ${literal(window)}`,
    types && `(type = any(${listed(types)})${knownTypes === undefined ? '' : ` or type <> all(${listed(knownTypes)})`})`,
    part && `(hashtextextended(stream_id, 0) & 65535) % ${literal(part.of)} = ${literal(part.index)}`,
    metaStart !== undefined && `starts_with(meta, ${literal(metaStart)})`,
    since !== undefined && `created >= ${literal(since)}::timestamptz`,
  ].filter((condition) => typeof condition === 'string')
  return `
    select h.head, h.held, e.bytes, ${COPIED_COLUMNS}
    from (select max(position) as head, ${heldWhere(seen)} as held from es.event) h
    left join (select s.*, sum(octet_length(s.data) + octet_length(s.meta)) over (order by s.position rows unbounded preceding) as bytes
      from (select * from es.event where ${wanted.join(' and ')} order by position limit ${literal(limit)}) s) e
      on e.bytes <= ${MAX_READ_BYTES} or e.bytes = octet_length(e.data) + octet_length(e.meta)
    order by e.position`
}

/** At most `limit` events that match. */
export type Wanted = Readonly<{ limit: number; match: EventMatch }>

type Log = Readonly<{ db: Pick<pg.ClientBase, 'query'>; lastSeen: LastSeen }>

/** One window of the log, or as much of it as has `limit` matching events. */
export async function readMatching({ db, lastSeen }: Log, after: Position, wanted: Wanted): Promise<Batch> {
  const seen = lastSeen.current()
  const window = (after.commit < 0n ? 0n : after.commit) + WINDOW
  const events: RecordedEvent[] = []
  let [head, isHeld, bytes] = [START.commit, false, 0n]
  await copyOut(db, readMatchingSql(after.commit, window, wanted, seen), (row) => {
    head = row.isNull() ? START.commit : row.int8()
    isHeld = row.bool()
    if (row.isNull()) return
    bytes = row.int8()
    events.push(eventIn(row))
  })
  assertHeld(lastSeen, seen, isHeld)
  lastSeen.see(events.at(-1))
  const cut = events.length === wanted.limit || bytes > MAX_READ_BYTES - MAX_APPEND_BYTES
  const last = events.at(-1)?.position
  if (cut && last !== undefined) return { events, to: last, caughtUp: last.commit >= head }
  const scanned = window < head ? window : head
  const to = scanned > after.commit ? { commit: scanned, prepare: 0n } : after
  return { events, to, caughtUp: to.commit >= head }
}
