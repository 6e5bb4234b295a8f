import type { Pool } from 'pg'
import type { Admission } from './admit.ts'
import type { Job, Lease, Verdict } from './job.ts'

/**
 * `concurrency`: jobs at work at once. `leaseMs`: how long a claimed job is ours before others may take it (default 30 s, which is also how long what a killed process held must wait).
 * `pollMs`: how late work may be noticed that nobody announced by `wake` (due retries, jobs admitted elsewhere; default 250).
 * `isPaused`: while it is true no job is claimed; what is at work goes on (asked at least every `pollMs`).
 * `work` answers what became of the job. A throw is a fault, not an outcome: tried again after 5, 10, 20, 40 s, then a dead letter.
 */
export type LanesOptions = Readonly<{
  pool: Pool
  kind: string
  work: (job: Job, lease: Lease, signal: AbortSignal) => Promise<Verdict>
  concurrency?: number
  leaseMs?: number
  pollMs?: number
  faultDelaysMs?: readonly number[]
  isPaused?: () => boolean
  onFault?: (error: unknown, job: Job | null) => void
}>

/**
 * `stop` takes no more work, gives back what has not begun, lets what has begun finish for `graceMs` (default 8 s), then aborts it; a
 * second later it leaves what is still open to the leases.
 */
export type RunningLanes = Readonly<{
  /** Admits jobs of this kind, and begins those that need not wait as soon as the transaction has committed. One batch at a time. */
  admit: Admission
  wake: () => void
  stop: (graceMs?: number) => Promise<void>
  load: () => Readonly<{ running: number; waiting: number }>
}>
