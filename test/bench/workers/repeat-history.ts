import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPool } from '@tidings/postgres'

/**
 * Lays the history of a log, whose read models show its end, behind itself again until it has so many events: the same sizes, as many streams,
 * ids as scattered. What is laid cannot be opened: its texts are sealed under the ids of the first.
 */
export type RepeatHistoryInput = Readonly<{ url: string; events: number }>
export type RepeatHistoryAnswer = Readonly<{ events: number; seconds: number }>

/** The tables that have a row, or more, of each contact or message. */
const TABLES = ['read.profiles', 'read.profile_search', 'read.consent_history', 'read.contact_births', 'read.messages']
const NEWS_MS = 15_000

type FirstUnits = Readonly<{ first: number; last: number; units: number }>

const { url, events } = JSON.parse(process.argv[2] ?? '{}') as RepeatHistoryInput
const pool = createPool({ url, max: 1, name: 'bench' })
await pool.query(readFileSync(join(import.meta.dirname, 'repeat-history.sql'), 'utf8'))
await pool.query('set synchronous_commit = off')
// The history that is laid is of later than now.
await pool.query('set es.allow_rewrite = on')

/** The history from the first claim on: earlier events are the workspace's own. `units`: how many of a later time's units it took. */
const firstHistory = async (): Promise<FirstUnits> => {
  const { rows } = await pool.query<FirstUnits>(
    `select min(position) filter (where stream_id like 'claim-%')::float8 as first, max(position)::float8 as last,
            ceil(extract(epoch from max(created) - min(created)) * 1000 / 65536)::int + 1 as units from es.event`,
  )
  return rows[0]!
}

/** Copies a table's rows of the first history, and answers the statement that lays them: other ids and addresses, later times. */
const layRowsOf = async (table: string): Promise<string> => {
  const copy = `first_${table.replace('.', '_')}`
  await pool.query(`create temp table ${copy} as select * from ${table}`)
  const { rows } = await pool.query<{ name: string; type: string }>(
    'select attname as name, atttypid::regtype::text as type from pg_attribute where attrelid = $1::regclass and attnum > 0 order by attnum',
    [table],
  )
  const values = rows.map(({ name, type }) => {
    if (name === 'email') return `$1::int || '.' || email`
    if (type === 'uuid' && name !== 'workspace_id') return `pg_temp.later(${name}::text, $2::int)::uuid`
    return type === 'timestamp with time zone' ? `${name} + $2::int * interval '65536 ms'` : name
  })
  return `insert into ${table} (${rows.map(({ name }) => name)}) select ${values} from ${copy}`
}

const LAY_EVENTS = `
insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
select position + $3::bigint, pg_temp.later_stream(stream_id, $1::int, $2::int), revision, gen_random_uuid(), type,
       pg_temp.later_data(stream_id, data, $2::int), meta, created + $2::int * interval '65536 ms'
from es.event where position between $4::bigint and $5::bigint order by position`

const LAY_KEYS = `
insert into keys.subject_key (workspace_id, subject, version, wrapped, created_at)
select workspace_id, 'contact:' || pg_temp.later(right(subject, 36), $1::int), version, wrapped, created_at from first_keys`

const finish = async (times: number): Promise<void> => {
  await pool.query('update read.message_totals set total = (select count(*) from read.messages)')
  await pool.query('update read.profile_totals set total = total * $1::int', [times + 1])
  await pool.query('update ops.projection_checkpoint set position_commit = (select max(position) from es.event)')
}

const started = performance.now()
const { first, last, units } = await firstHistory()
const size = last - first + 1
const times = Math.max(0, Math.round((events - last) / size))
const layRows: string[] = []
for (const table of TABLES) layRows.push(await layRowsOf(table))
await pool.query(`create temp table first_keys as select * from keys.subject_key where subject like 'contact:%'`)
let news = started
for (let nth = 1; nth <= times; nth++) {
  await pool.query(LAY_EVENTS, [nth, nth * units, nth * size, first, last])
  for (const lay of layRows) await pool.query(`${lay} where $1::int + $2::int > 0`, [nth, nth * units])
  await pool.query(LAY_KEYS, [nth * units])
  if (performance.now() - news < NEWS_MS) continue
  news = performance.now()
  process.stderr.write(`  ${last + nth * size} events, ${Math.round((nth * size) / ((news - started) / 1_000))}/s\n`)
}
await finish(times)
await pool.end()
const seconds = (performance.now() - started) / 1_000
process.stdout.write(`${JSON.stringify({ events: last + times * size, seconds } satisfies RepeatHistoryAnswer)}\n`)
