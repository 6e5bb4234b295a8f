import type { Pool } from 'pg'

/** Lets every job that is claimed be claimed again at once. Only for whoever knows that those who claimed them are dead; answers how many. */
export async function releaseClaims(pool: Pool): Promise<number> {
  const released = await pool.query(
    'update inbox.job set due_at = clock_timestamp() where token is not null and due_at > clock_timestamp()',
  )
  return released.rowCount ?? 0
}
