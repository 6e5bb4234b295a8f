import { setTimeout as sleep } from 'node:timers/promises'
import type { Position } from '@tidings/event-store'
import { type Progress, readSide } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import type { Pool } from 'pg'

const RETRY_MS = 50

/** `names`: of the projections that are waited for; default: all. */
type VisibilityLimits = Readonly<{ timeoutMs: number; progress?: Progress; names?: readonly string[] }>

/** Resolves true when the projections show the position, false after `timeoutMs`. Waits for a service that is starting, too. */
export async function untilVisible(
  pool: Pool,
  position: Position,
  { timeoutMs, progress, names = projections.map(({ name }) => name) }: VisibilityLimits,
): Promise<boolean> {
  const reads = readSide({ pool, ...(progress && { progress }) })
  try {
    for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await sleep(RETRY_MS)) {
      if ((await reads.wait(position, names)) === 'visible') return true
    }
    return false
  } finally {
    await reads.close()
  }
}
