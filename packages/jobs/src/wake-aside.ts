import type { WorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import { announceInside } from './due-channel.ts'
import type { DeferredFor } from './job.ts'

/** Jobs of a workspace that wait aside for something, of one campaign or flow where it is named, in these lanes where some are. */
export type WaitingAside = Readonly<{
  kind: string
  workspaceId: WorkspaceId
  deferredFor: DeferredFor
  deferredBy?: string
  lanes?: readonly string[]
}>

/** The jobs of one statement, during which the lock of the kind is taken. */
const BATCH = 1_000

/**
 * Puts jobs that wait aside for what is over back into their lanes, where they go in their order; answers how many. One index names them, however many
 * wait for something else.
 */
export async function wakeAside(pool: Pool, aside: WaitingAside, signal?: AbortSignal): Promise<number> {
  let woken = 0
  for (let some = BATCH; some === BATCH; woken += some) {
    signal?.throwIfAborted()
    some = await wakeSome(pool, aside)
  }
  return woken
}

const wakeSome = (pool: Pool, { kind, workspaceId, deferredFor, deferredBy, lanes }: WaitingAside): Promise<number> =>
  transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ woken: number }>('select inbox.wake_aside($1, $2, $3, $4, $5, $6) as woken', [
      kind,
      workspaceId,
      deferredFor,
      deferredBy ?? null,
      lanes ?? null,
      BATCH,
    ])
    const woken = rows[0]?.woken ?? 0
    if (woken > 0) await announceInside(tx, kind)
    return woken
  })

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
