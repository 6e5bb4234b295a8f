import type { Pool } from 'pg'

/**
 * Lets every key whose request has no answer be taken over at once. Only for a process that knows that those who carried the requests out are
 * dead; answers how many. No request runs longer than five minutes and a key is kept for 24 hours: by that the index finds the few among all that
 * are kept.
 */
export async function releaseIdempotencyKeys(pool: Pool): Promise<number> {
  const released = await pool.query(
    `update ops.idempotency set lease_until = now()
     where expires_at > now() + interval '23 hours 54 minutes' and status is null and lease_until > now()`,
  )
  return released.rowCount ?? 0
}
