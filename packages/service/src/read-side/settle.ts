import { OperationFailed } from '@tidings/config'
import type { Position } from '@tidings/event-store'
import { createProgress, waitForProcesses } from '@tidings/projections'
import { startProjectors } from '@tidings/projectors'
import type { Stores } from '../stores/open-stores.ts'
import { untilVisible } from './until-visible.ts'

const SETTLE_MS = 30_000

/** Whether a process follows the projections. */
export async function isServed({ pool }: Stores): Promise<boolean> {
  const { rows } = await pool.query<{ served: boolean }>(
    `select exists (select 1 from ops.projection_lease where expires_at > clock_timestamp()) as served`,
  )
  return rows[0]?.served === true
}

/**
 * Resolves when every live process has acknowledged the position and reads show it; one sentence after 30 s. Where no process follows the
 * projections, this one does until then. `names`: the reads of these projections alone.
 */
export async function settle(stores: Stores, position: Position, names?: readonly string[]): Promise<void> {
  const own = (await isServed(stores)) ? null : startProjectors({ log: stores.log, pool: stores.workPool, progress: createProgress() })
  try {
    const [shown, acknowledged] = await Promise.all([
      untilVisible(stores.pool, position, { timeoutMs: SETTLE_MS, ...(own && { progress: own.progress }), ...(names && { names }) }),
      waitForProcesses(stores.pool, position, { timeoutMs: SETTLE_MS }),
    ])
    if (!shown) throw new OperationFailed('It is written, but the read side has not shown it within 30 s: see `tidings projection list`.')
    if (!acknowledged)
      throw new OperationFailed('It is written, but a running process has not heard of it within 30 s: see `tidings doctor`.')
  } finally {
    await own?.stop()
  }
}
