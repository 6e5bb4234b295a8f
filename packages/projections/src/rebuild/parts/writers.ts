import type { Queryable } from '../../sql/load-rows.ts'
import { RebuildRefused } from '../refused.ts'

/**
 * The sessions of threads write to the next tables beside the session that has the lock of `alone`. Each holds this lock, shared, for as long as it
 * lives; a session that drops or makes next tables takes it first, alone. So a session that outlives its process, or is only being opened, never
 * writes to the tables of the next attempt.
 */
const KEY = 'hashtextextended($1, 0)'
const keyOf = (projection: string): string => `rebuild writers ${projection}`

/** A statement that a killed thread has sent may take that long. */
const WAIT = '60s'
const LOCK_NOT_AVAILABLE = '55P03'

/** Runs `work` while no thread writes, and none can begin to. Rejects with `RebuildRefused` after a minute. */
export async function withoutWriters<Result>(session: Queryable, projection: string, work: () => Promise<Result>): Promise<Result> {
  await session.query(`set lock_timeout = '${WAIT}'`)
  await session.query(`select pg_advisory_lock(${KEY})`, [keyOf(projection)]).catch((error: Readonly<{ code?: unknown }>) => {
    if (error.code !== LOCK_NOT_AVAILABLE) throw error
    throw new RebuildRefused(
      `Threads of an earlier rebuild of ${projection}, whose process is gone, still have sessions in Postgres: end those named tidings-rebuild, or run this again when they have ended.`,
    )
  })
  try {
    await session.query('reset lock_timeout')
    return await work()
  } finally {
    await session.query(`select pg_advisory_unlock(${KEY})`, [keyOf(projection)]).catch(() => undefined) // a lost session has lost it
  }
}

/** The session may write from now on. Resolves with the attempt whose tables are there, null where there is none. */
export async function becomeWriter(session: Queryable, projection: string): Promise<string | null> {
  await session.query(`select pg_advisory_lock_shared(${KEY})`, [keyOf(projection)])
  return await readAttempt(session, projection)
}

/** Each attempt notes its tables anew before it makes them (`noteBegun`), and changes that note only when it is through. */
export async function readAttempt(session: Queryable, projection: string): Promise<string | null> {
  const { rows } = await session.query<{ attempt: string }>(
    `select xmin::text as attempt from ops.projection_build where projection = $1 and generation = 'next'`,
    [projection],
  )
  return rows[0]?.attempt ?? null
}
