import { leaseTable } from '@tidings/jobs'
import type { Queryable } from '../sql/load-rows.ts'

/** The right to move a projection's checkpoint. `fence` writes the epoch into the checkpoint, which every batch compares. */
export const projectionLeases = leaseTable({
  table: 'ops.projection_lease',
  name: 'projection',
  expiresAt: 'expires_at',
  leaseMs: 5_000,
  creates: true,
})

/** Ends every lease there is. Only for a process that knows that their owners are dead; answers how many. */
export function releaseLeases(db: Queryable): Promise<number> {
  return projectionLeases.releaseAll(db)
}
