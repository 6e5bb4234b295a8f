import { type Verdict, type WaitingAside, wakeAside } from '@tidings/jobs'
import type { Pool } from 'pg'

/**
 * Before the next pass. A worker that has not heard of the change in the moment of a pass puts its job off once more: it has heard a second later. The last
 * is longer after it than a worker may have a job that it puts off.
 */
const PASSES_MS: readonly number[] = [3_000, 120_000]

/** Wakes jobs that wait for what is over. Idempotent; `attempt`: that of the job that does it, which comes again. */
export async function releaseInPasses(
  pool: Pool,
  waiting: readonly WaitingAside[],
  { attempt, signal }: Readonly<{ attempt: number; signal: AbortSignal }>,
): Promise<Verdict> {
  for (const aside of waiting) await wakeAside(pool, aside, signal)
  const inMs = PASSES_MS[attempt]
  return inMs === undefined ? 'done' : { type: 'Deferred', inMs, counts: true, deferredFor: 'next_pass' }
}
