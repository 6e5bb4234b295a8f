import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { DeferredFor } from './job.ts'

/** Makes what waits in these lanes for a later time due, where `deferredFor` is given only those that wait for that; answers how many. */
export function makeLanesDue(pool: Pool, kind: string, lanes: readonly string[], deferredFor: DeferredFor | null = null): Promise<number> {
  return transaction(pool, async (tx) => {
    await tx.query('select inbox.lock_kind($1)', [kind])
    const { rowCount } = await tx.query(
      `update inbox.job set due_at = now()
       where kind = $1 and lane = any (array(select hashtextextended(l, 0) from unnest($2::text[]) l))
         and due_at > now() and token is null and ($3::text is null or deferred_for = $3)`,
      [kind, lanes, deferredFor],
    )
    return rowCount ?? 0
  })
}
