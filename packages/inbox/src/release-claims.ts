import type { Pool } from 'pg'

/**
 * Lets every job that is claimed be claimed again at once, without the wait of a takeover, and without that after a crash of
 * Postgres. Only for a caller that knows that those who claimed them are dead; answers how many.
 */
export async function releaseClaims(pool: Pool): Promise<number> {
  await pool.query(
    `insert into inbox.claims_remembered (since) values ('-infinity') on conflict (only_row) do update set since = excluded.since
     where claims_remembered.since <> excluded.since`,
  )
  const released = await pool.query('update inbox.job set token = null, due_at = clock_timestamp() where token is not null')
  return released.rowCount ?? 0
}
