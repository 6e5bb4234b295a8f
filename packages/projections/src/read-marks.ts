import { sharedStatement } from '@tidings/async'
import { currentSnapshot } from '@tidings/postgres'
import type { Queryable } from './sql/load-rows.ts'

/**
 * Whether a projection's rows say all that the log does: `current`; `counting`, where its tables are filled for the first time or catch up; `behind`, where no
 * process brings them up to date.
 */
type ReadState = 'current' | 'counting' | 'behind'

/** `mark`: two equal ones say that no row of the projection's tables changed between; null where it has no tables yet. */
type ReadMark = Readonly<{ mark: string | null; state: ReadState }>

type MarkRow = Readonly<{ projection: string; mark: string; state: string | null; silent: boolean }>

// Every write of rows moves this row in its own transaction, whichever process it is, also where the position stays: a stream that is followed again, a
// swap, a restored copy. Its position alone would not show these.
const SQL = `select c.projection, s.state, coalesce(s.heartbeat_at < clock_timestamp() - interval '10 seconds', true) as silent,
    concat_ws(' ', c.version, c.epoch, c.position_commit, c.position_prepare, extract(epoch from c.updated_at), c.xmin) as mark
  from ops.projection_checkpoint c left join ops.projection_status s using (projection) where c.projection = any($1::text[])`

const FILLING = new Set(['starting', 'catching up', 'rebuilding'])

const stateOf = ({ state, silent }: MarkRow): ReadState =>
  state !== null && FILLING.has(state) && !silent ? 'counting' : state === 'live' && !silent ? 'current' : 'behind'

const rowsOf = async (db: Queryable, names: readonly string[]): Promise<readonly MarkRow[]> => {
  const { rows } = await db.query<MarkRow>({ name: 'read marks', text: SQL, values: [[...new Set(names)]] })
  return rows
}

const pick = (rows: readonly MarkRow[], name: string): ReadMark => {
  const row = rows.find(({ projection }) => projection === name)
  return row === undefined ? { mark: null, state: 'counting' } : { mark: row.mark, state: stateOf(row) }
}

const markOf = sharedStatement({
  ask: rowsOf,
  pick,
  // Without rows it would say that there are no tables yet.
  failsLate: true,
})

/** How a projection's tables stand in this database: for an answer that says so, which waits for the database like the rest of it. */
export async function readMark(db: Queryable, projection: string): Promise<ReadMark> {
  return pick(await rowsOf(db, [projection]), projection)
}

/** What a snapshot says is shared with no other work. */
const marksOf = async (db: Queryable, projections: readonly string[]): Promise<readonly ReadMark[]> => {
  if (currentSnapshot() === undefined) return await Promise.all(projections.map(markOf(db)))
  const rows = await rowsOf(db, projections)
  return projections.map((name) => pick(rows, name))
}

/**
 * One text for all of them, their states included; null where one has no tables yet. What a process asks in one turn is one statement; a database that
 * does not answer within a second rejects it.
 */
export async function readMarks(db: Queryable, projections: readonly string[]): Promise<string | null> {
  const all = await marksOf(db, projections)
  return all.some(({ mark }) => mark === null) ? null : all.map(({ mark, state }) => `${mark} ${state}`).join(', ')
}
