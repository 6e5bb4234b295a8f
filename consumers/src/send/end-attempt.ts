import type { EventLog } from '@tidings/codec'
import type { MessageCommand } from '@tidings/domain'
import { type Deferral, type Lease, Unrecoverable } from '@tidings/jobs'
import type { Attempt } from './begin-attempt.ts'
import type { MessageHistory } from './history.ts'
import { type RecordedAs, recordOutcome, TAKEOVER_WAIT_MS } from './record-outcome.ts'

/** The last append may still arrive, so the job waits before another attempt. */
const UNRECORDED: Deferral = { type: 'Deferred', inMs: TAKEOVER_WAIT_MS, counts: false, deferredFor: 'outcome_unrecorded' }

/** Records the outcome of an attempt, and keeps its lease for as long as that takes. */
export async function endAttempt(
  log: EventLog,
  { history, outcome }: Readonly<{ history: MessageHistory; outcome: MessageCommand }>,
  { lease, signal }: Attempt,
): Promise<RecordedAs | Deferral> {
  try {
    return await whileKept(lease, (lost) => recordOutcome({ log, signal, lost }, history, outcome))
  } catch (error) {
    if (signal.aborted) return UNRECORDED
    throw outcome.type === 'RecordSent' ? unrecorded(error) : error
  }
}

/** Renews the lease for as long as the work takes; `lost` says whether another worker has the job. */
export async function whileKept<T>(lease: Lease, work: (lost: () => boolean) => Promise<T>): Promise<T> {
  const kept = lease.keep()
  try {
    return await work(kept.lost)
  } finally {
    kept.end()
  }
}

/** The message has left, and the log can never say so: another try would send it again. */
const unrecorded = (error: unknown): Unrecoverable =>
  new Unrecoverable(`sent, but its outcome cannot be recorded: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
