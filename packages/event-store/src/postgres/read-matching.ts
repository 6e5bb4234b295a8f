import type pg from 'pg'
import type { LastSeen, SeenPosition } from '../last-seen.ts'
import { type Batch, type EventMatch, type Position, START } from '../port.ts'
import { assertContained, containsSeen, seenValues } from './contains-seen.ts'
import { FITS, mayBeCut, summed } from './page-bytes.ts'
import { EVENT_COLUMNS, type EventRow, eventOf, RAW } from './rows.ts'

/** Positions that one statement looks at: some 50 ms of one core, whatever matches. */
const WINDOW = 50_000n

/**
 * The rows of `selected`: one at least, so that the head is of the same snapshot as the events. Positions are dense, so a window of them is
 * one of events. The parameters are those of `valuesOf`.
 */
export function matchingRows(selected: string): string {
  const matching = `
      select * from es.event where position > $1 and position <= $2
        and ($4::text[] is null or type = any($4::text[]) or type <> all($9::text[]))
        and ($5::text is null or starts_with(meta, $5::text)) and ($6::timestamptz is null or created >= $6::timestamptz)
      order by position limit $3`
  return `
    select ${selected}
    from (select max(position) as head, ${containsSeen(7, 8)} as contained from es.event) h
    left join ${summed(matching, ['position'])} on ${FITS}
    order by e.position`
}

const READ_MATCHING = {
  name: 'es_read_matching',
  text: matchingRows(`h.head, h.contained, e.bytes, ${EVENT_COLUMNS}`),
  rowMode: 'array' as const,
  types: RAW,
}

type MatchingRow = readonly [head: string | null, contained: string, bytes: string | null, ...EventRow]

/** Reads at most `limit` events that match. */
export type MatchingRequest = Readonly<{ limit: number; match: EventMatch }>

type Log = Readonly<{ db: Pick<pg.ClientBase, 'query'>; lastSeen: LastSeen }>

const windowBehind = ({ commit }: Position): bigint => (commit < 0n ? 0n : commit) + WINDOW

export function valuesOf(
  after: Position,
  { limit, match }: MatchingRequest,
  seen: SeenPosition,
): readonly (string | number | bigint | readonly string[] | null)[] {
  const { types, metaStart, since, knownTypes } = match
  const first = [after.commit, windowBehind(after), limit, types ?? null, metaStart ?? null, since ?? null]
  return [...first, ...seenValues(seen), knownTypes ?? null]
}

/** A read of the events behind `after`. `bytes`: the sum at the last row; `head`: of the log, null where it is empty. */
export type Read<Event> = Readonly<{ after: Position; limit: number; events: readonly Event[]; bytes: number; head: bigint | null }>

/** The batch of one window of the log, or of as much of it as has `limit` matching events. */
export function batchOf<Event extends Readonly<{ position: Position }>>({ after, limit, events, bytes, head: end }: Read<Event>) {
  const head = end ?? START.commit
  const isInside = windowBehind(after) < head
  const cut = events.length === limit || mayBeCut(bytes)
  const last = events.at(-1)?.position
  if (cut && last !== undefined) return { events, to: last, caughtUp: last.commit >= head }
  const scanned = isInside ? windowBehind(after) : head
  const to = scanned > after.commit ? { commit: scanned, prepare: 0n } : after
  return { events, to, caughtUp: to.commit >= head }
}

export async function readMatching({ db, lastSeen }: Log, after: Position, wanted: MatchingRequest): Promise<Batch> {
  const seen = lastSeen.current()
  const { rows } = await db.query<[...MatchingRow]>({ ...READ_MATCHING, values: [...valuesOf(after, wanted, seen)] })
  assertContained(lastSeen, seen, rows[0]?.[1])
  const events = rows.flatMap(([, , bytes, ...event]) => (bytes === null ? [] : [eventOf(event)]))
  lastSeen.see(events.at(-1))
  const head = rows[0]?.[0] == null ? null : BigInt(rows[0][0])
  return batchOf({ after, limit: wanted.limit, events, bytes: Number(rows.at(-1)?.[2] ?? 0), head })
}
