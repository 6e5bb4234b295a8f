import type { Pool } from 'pg'
import type { Admission, AdmissionCall } from './admit.ts'
import { announceDue } from './due-channel.ts'
import type { Job, Lease, NewJob, Verdict } from './job.ts'
import { LaneQueue, type LaneSettings, SLOTS_PER_CONCURRENCY } from './lane-queue.ts'
import { watchDue } from './watch-due.ts'
import { createWorkLoop } from './work-loop.ts'

/** The net below `watchDue`. */
const POLL_MS = 120_000

/**
 * Defaults: 64 jobs of a workspace at once, a lease of 30 s, another try 5, 10, 20 and 40 s after a fault. Without `pollMs` the kinds of a process share one
 * look at what is due (`watchDue`); with it, the loop asks for itself.
 */
export type LanesOptions = Readonly<{ pool: Pool; kind: string; work: (job: Job, lease: Lease, signal: AbortSignal) => Promise<Verdict> }> &
  Partial<Omit<LaneSettings, 'onPutOff' | 'onLate'>>

/**
 * `stop` claims no more, gives back what has not begun, lets running jobs finish for `graceMs` (default 6 s), then aborts them; a second
 * later it leaves what is still open to the leases.
 */
export type RunningLanes = Readonly<{
  /** Admits jobs of this kind, and begins those that need not wait as soon as the transaction has committed. One batch at a time. */
  admit: Admission
  /** The same as one SQL expression, for a statement that does more than that. `done` gets its value once it is committed, and is not called otherwise. */
  admission: (jobs: readonly NewJob[]) => AdmissionCall & Readonly<{ done: (value: unknown) => void }>
  wake: () => void
  stop: (graceMs?: number) => Promise<void>
  load: () => Readonly<{ running: number; waiting: number }>
}>

/** Runs a kind's jobs: many lanes at once, one job a lane, in the lane's order, shared by workspace. Memory is bounded by four times `concurrency`. */
export function runLanes(options: LanesOptions): RunningLanes {
  const { concurrency = 64, leaseMs = 30_000, pollMs = POLL_MS, faultDelaysMs = [5_000, 10_000, 20_000, 40_000], onFault } = options
  const watch = options.pollMs === undefined ? watchDue(options.pool, options.kind, () => wake()) : null
  const queue = new LaneQueue({
    ...options,
    onPutOff: (ms) => watch?.within(ms),
    onLate: () => loop.wake(),
    concurrency,
    leaseMs,
    pollMs,
    faultDelaysMs,
  })
  const loop = createWorkLoop({ queue, concurrency: SLOTS_PER_CONCURRENCY * concurrency, onFault: (error) => onFault?.(error, null, null) })
  const wake = (): void => {
    queue.expectJobs()
    loop.wake()
  }
  const begin = (othersWait: boolean): void => {
    loop.begin()
    if (!othersWait) return
    wake()
    // There is no room for all of it here; another process may have some.
    announceDue(options.pool, options.kind)
  }
  return {
    admit: async (tx, jobs) => {
      const { committed } = await queue.admit(tx, jobs)
      return () => begin(committed())
    },
    admission: (jobs) => {
      const { call, committed } = queue.admission(jobs)
      return { ...call, done: (value) => begin(committed(value)) }
    },
    wake,
    stop: async (graceMs) => {
      await Promise.all([watch?.stop(), loop.stop(graceMs)])
    },
    load: () => queue.load(),
  }
}
