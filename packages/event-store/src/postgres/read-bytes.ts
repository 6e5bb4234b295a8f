import pg from 'pg'
import type { LastSeen } from '../last-seen.ts'
import type { BytesBatch, EventBytes, Position } from '../port.ts'
import { assertContained } from './contains-seen.ts'
import { copyPage, type PageBuffers } from './copy-page.ts'
import { CopyReader } from './copy-reader.ts'
import { batchOf, type MatchingRequest, matchingRows, valuesOf } from './read-matching.ts'
import { isoOf } from './rows.ts'

/** The columns in the order in which `eventOf` reads them, with times as Postgres keeps them. */
const ROWS = matchingRows(
  'h.head, h.contained, e.bytes::int, e.position, e.stream_id, e.revision, e.event_id::text, e.type, e.data, e.meta, e.created',
)

type Value = ReturnType<typeof valuesOf>[number]

const TYPES = ['bigint', 'bigint', 'bigint', 'text[]', 'text', 'timestamptz', 'bigint', 'uuid', 'text[]']

/**
 * COPY takes no parameters, so one statement writes them into a setting of the transaction and the COPY reads it. With literals, each read
 * would be a new statement to `pg_stat_statements` and push others out of it.
 */
const SETTING = 'tidings.page'
const COPY = `copy (${ROWS.replace(
  /\$(\d+)/g,
  (_, n) => `(select (current_setting('${SETTING}')::jsonb ->> ${Number(n) - 1})::${TYPES[Number(n) - 1]})`,
)}) to stdout (format binary)`

const textOf = (value: Value): string | null => {
  if (value === null) return null
  return typeof value === 'object' ? `{${value.map((one) => `"${one.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}` : String(value)
}

const copyWith = (values: readonly Value[]): string =>
  `select set_config('${SETTING}', ${pg.escapeLiteral(JSON.stringify(values.map(textOf)))}, true); ${COPY}`

const eventOf = (row: CopyReader, commit: bigint): EventBytes => {
  const [stream, revision, id, type] = [row.text(), row.int4(), row.text(), row.text()]
  const [data, meta] = [row.bytes(), row.bytes()]
  const created = isoOf(row.timeMs())
  return { id, type, data, meta, stream, revision, position: { commit, prepare: 0n }, created }
}

type Page = Readonly<{ events: readonly EventBytes[]; bytes: number; head: bigint | null; contained: boolean }>

const pageOf = (copied: Buffer): Page => {
  const rows = new CopyReader(copied)
  const events: EventBytes[] = []
  // Every row has the same; there is one where nothing matches, too.
  rows.next()
  const [head, contained] = [rows.int8(), rows.bool()]
  let bytes = 0
  for (let hasMore = true; hasMore; hasMore = nextEvent(rows)) {
    const [sum, position] = [rows.int4(), rows.int8()]
    if (position === null) break
    bytes = sum
    events.push(eventOf(rows, position))
  }
  return { events, bytes, head, contained }
}

const nextEvent = (rows: CopyReader): boolean => {
  if (!rows.next()) return false
  rows.skip()
  rows.skip()
  return true
}

type Log = Readonly<{ pool: pg.Pool; lastSeen: LastSeen; buffers: PageBuffers }>

/**
 * As `readMatching`, by COPY in its binary format. Measured for pages of 1 000 encrypted events: 3.1 µs of Node's CPU an event and 3.2 of
 * Postgres', where rows of texts take 5.2 and 4.7.
 */
export async function readBytes({ pool, lastSeen, buffers }: Log, after: Position, wanted: MatchingRequest): Promise<BytesBatch> {
  const seen = lastSeen.current()
  const copied = await copyPage(pool, copyWith(valuesOf(after, wanted, seen)), buffers.take())
  const { events, bytes, head, contained } = pageOf(copied.bytes)
  assertContained(lastSeen, seen, contained ? 't' : 'f')
  lastSeen.see(events.at(-1))
  const batch = batchOf({ after, limit: wanted.limit, events, bytes, head })
  return { ...batch, release: buffers.releaseOf(copied.buffer) }
}
