import type { Queryable } from '../sql/load-rows.ts'

/** An owner that has not renewed for this long is dead: another takes over. By the database's clock alone. */
export const LEASE_SECONDS = 5

/**
 * Takes the projection's lease if it is free, expired or already this owner's. The epoch grows with each taking.
 * Returns null while another owner holds it.
 */
export const acquireLease = async (db: Queryable, projection: string, owner: string): Promise<bigint | null> => {
  const { rows } = await db.query<{ epoch: bigint }>(
    `insert into ops.projection_lease as l (projection, owner, epoch, expires_at)
     values ($1, $2, 1, clock_timestamp() + make_interval(secs => $3))
     on conflict (projection) do update set owner = excluded.owner, epoch = l.epoch + 1, expires_at = excluded.expires_at
     where l.expires_at < clock_timestamp() or l.owner = excluded.owner
     returning epoch`,
    [projection, owner, LEASE_SECONDS],
  )
  return rows[0]?.epoch ?? null
}

/** Lets the next owner start at once. */
export const releaseLease = async (db: Queryable, projection: string, lease: Readonly<{ owner: string; epoch: bigint }>): Promise<void> => {
  await db.query('update ops.projection_lease set expires_at = clock_timestamp() where projection = $1 and owner = $2 and epoch = $3', [
    projection,
    lease.owner,
    lease.epoch,
  ])
}

/** Ends every lease there is. Only for a process that knows that their owners are dead; answers how many. */
export const releaseLeases = async (db: Queryable): Promise<number> => {
  const ended = await db.query('update ops.projection_lease set expires_at = clock_timestamp() where expires_at > clock_timestamp()')
  return ended.rowCount ?? 0
}
