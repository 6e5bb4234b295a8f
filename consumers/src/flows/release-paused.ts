import { type Job, releasePutOff, type Verdict } from '@tidings/inbox'
import type { Pool } from 'pg'
import { FLOW_RUN, pausedReason } from './flow-kinds.ts'

/** Longer than a worker may have a run that it found paused: what it puts off after the first pass, the second finds. */
const SECOND_PASS_MS = 120_000
const BATCH = 2_000

/** Makes the runs of a resumed flow due that were put off while it was paused (D11). Idempotent. */
export async function releasePaused(pool: Pool, job: Job, signal: AbortSignal): Promise<Verdict> {
  for (;;) {
    signal.throwIfAborted()
    const released = await releasePutOff(pool, FLOW_RUN, {
      workspaceId: job.workspaceId,
      putOffFor: pausedReason(job.payload),
      limit: BATCH,
    })
    if (released < BATCH) break
  }
  return job.attempt === 0 ? { inMs: SECOND_PASS_MS, counts: true, reason: 'a second pass' } : 'done'
}
