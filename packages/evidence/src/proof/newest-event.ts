import { OperationFailed } from '@tidings/config'
import type { Pool } from 'pg'
import { readTreeSize } from './tree-tables.ts'

/** The log is ahead of the clock: every event that is recorded until then gets the time of its newest one. */
class LogAhead extends OperationFailed {}

/** Throws `LogAhead` where the newest event that the tree has is dated later than now, by more than clocks differ. */
export async function assertNotAhead(pool: Pool): Promise<void> {
  const created = (await readTreeSize(pool))?.created ?? null
  if (created === null || created <= (await latestTime(pool))) return
  throw new LogAhead(
    `The newest event of the log is dated ${created}, which is later than now: until then every event gets that time. A clock was ahead, or somebody put it there. Run \`tidings log verify\`.`,
  )
}

/** Clocks differ by less. */
const SKEW_MS = 60_000

/** The latest time that something may be dated now: by the clock of the database, or of this process where that is ahead. */
export async function latestTime(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now')
  return new Date(Math.max(Date.now(), rows[0]?.now.getTime() ?? 0) + SKEW_MS).toISOString()
}
