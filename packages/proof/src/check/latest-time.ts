import type { Pool } from 'pg'

/** Clocks differ by less. */
const SKEW_MS = 60_000

/** The latest time that something may be dated now: by the clock of the database, or of this process where that is ahead. */
export async function latestTime(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now')
  return new Date(Math.max(Date.now(), rows[0]?.now.getTime() ?? 0) + SKEW_MS).toISOString()
}
