import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import { announceInside } from './due-channel.ts'

/** Jobs that wait aside for one of these reasons, of a workspace or only of these lanes of it. */
export type Aside = Readonly<{ kind: string; workspaceId: string; reasons: readonly string[]; lanes?: readonly string[] }>

/** The reason for which jobs of a workspace wait aside; only those of these lanes if some are given. */
export async function asideReasons(pool: Pool, { kind, workspaceId, lanes }: Omit<Aside, 'reasons'>): Promise<readonly string[]> {
  const { rows } = await pool.query<{ reason: string }>('select reason from inbox.aside_reasons($1, $2, $3) reason', [
    kind,
    workspaceId,
    lanes ?? null,
  ])
  return rows.map(({ reason }) => reason)
}

/** The jobs of one statement, during which the lock of the kind is held. */
const BATCH = 1_000

/**
 * Puts jobs that wait aside for what is over back into their lanes, where they go in their order; answers how many. One index names them, however many
 * wait for something else.
 */
export async function wakeAside(pool: Pool, { reasons, ...aside }: Aside, signal?: AbortSignal): Promise<number> {
  let woken = 0
  for (const reason of reasons) {
    for (let some = BATCH; some === BATCH; woken += some) {
      signal?.throwIfAborted()
      some = await wakeSome(pool, { ...aside, reason })
    }
  }
  return woken
}

type OneReason = Omit<Aside, 'reasons'> & Readonly<{ reason: string }>

const wakeSome = (pool: Pool, { kind, workspaceId, reason, lanes }: OneReason): Promise<number> =>
  transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ woken: number }>('select inbox.wake_aside($1, $2, $3, $4, $5) as woken', [
      kind,
      workspaceId,
      reason,
      lanes ?? null,
      BATCH,
    ])
    const woken = rows[0]?.woken ?? 0
    if (woken > 0) await announceInside(tx, kind)
    return woken
  })
