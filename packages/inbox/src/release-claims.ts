import type { Pool } from 'pg'

/**
 * Lets every job that is claimed be claimed again at once, as one that nobody had: without the wait of a takeover. Only for a caller that
 * knows that those who claimed them are dead; answers how many.
 */
export async function releaseClaims(pool: Pool): Promise<number> {
  const released = await pool.query('update inbox.job set token = null, due_at = clock_timestamp() where token is not null')
  return released.rowCount ?? 0
}
