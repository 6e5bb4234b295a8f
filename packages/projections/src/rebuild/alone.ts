import type { Pool, PoolClient } from 'pg'
import type { AnyProjection } from '../projection.ts'

/** Runs `work` while no other process rebuilds the projection; null when one does. */
export async function alone<Result>(
  { pool, projection }: Readonly<{ pool: Pool; projection: AnyProjection }>,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result | null> {
  const client = await pool.connect()
  // The session is unchanged only if the lock was not available: processes that wait for a rebuild ask twice a second.
  let used = true
  try {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [
      `rebuild ${projection.name}`,
    ])
    used = rows[0]?.taken === true
    return used ? await work(client) : null
  } finally {
    if (used) await client.query('select pg_advisory_unlock_all()').catch(() => undefined) // a lost session has lost its locks too
    client.release(used)
  }
}
