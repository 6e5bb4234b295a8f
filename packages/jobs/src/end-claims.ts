import type { Pool } from 'pg'

/** No lease of a job, and no suspension, is longer: one that ends behind this was made while the clock of the database was ahead (M55). */
const LONGEST = `clock_timestamp() + interval '1 hour'`
/** A process that lives renews what it has within that time. */
const LEFT = `clock_timestamp() + interval '5 minutes'`

const JOBS = `update inbox.job set due_at = ${LEFT} where ctid = any (array(
  select ctid from inbox.job where token is not null and due_at > ${LONGEST} limit $1 for update skip locked))`
const BUNDLES = `update inbox.bundle set due_at = ${LEFT} where ctid = any (array(
  select ctid from inbox.bundle where due_at > ${LONGEST} limit $1 for update skip locked))`
const SUSPENSIONS = `update inbox.suspended_workspace set suspended_until = ${LEFT} where (kind, workspace_id) in (
  select kind, workspace_id from inbox.suspended_workspace where suspended_until > ${LONGEST} limit $1 for update skip locked)`

/**
 * Lets leases of jobs and suspensions of workspaces that end long after one which begins now end soon: a job of a process that was killed then would wait until
 * that time came. Answers how many; a job that waits for its time has no lease.
 */
export async function shortenLeases(pool: Pool, batch: number): Promise<number> {
  let most = 0
  for (const shorten of [JOBS, BUNDLES, SUSPENSIONS]) most = Math.max(most, (await pool.query(shorten, [batch])).rowCount ?? 0)
  return most
}

/**
 * Lets every job that is claimed be claimed again at once, without the wait of a takeover, and without that after a crash of
 * Postgres. Only for a caller that knows that those who claimed them are dead; answers how many.
 */
export async function releaseClaims(pool: Pool): Promise<number> {
  await pool.query(
    `insert into inbox.claims_remembered (since) values ('-infinity') on conflict (only_row) do update set since = excluded.since
     where claims_remembered.since <> excluded.since`,
  )
  const { rows } = await pool.query<{ released: number }>('select inbox.release_claims() as released')
  return rows[0]?.released ?? 0
}
