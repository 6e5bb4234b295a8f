import { setTimeout as sleep } from 'node:timers/promises'
import { isRetryable } from '@tidings/postgres'
import type { Pool } from 'pg'
import { moveToDeadLetter } from './dead-letters.ts'
import { type Deferral, Unrecoverable, type Verdict } from './job.ts'
import type { Claimed } from './settle-and-claim.ts'

const RETRY_MS = 500

export type FaultTerms = Readonly<{ pool: Pool; kind: string; faultDelaysMs: readonly number[] }>

/** What becomes of a job whose work threw: another try, or a dead letter (then it is `lost` to its worker). */
export async function afterFault({ pool, kind, faultDelaysMs }: FaultTerms, job: Claimed, error: unknown): Promise<Verdict | 'lost'> {
  const said = error instanceof Error ? error.message : String(error)
  const uncounted: Deferral = { type: 'Deferred', inMs: 1_000, counts: false, deferredFor: 'dependency_away', error: said }
  if (isRetryable(error)) return uncounted
  const delay = error instanceof Unrecoverable ? undefined : faultDelaysMs[job.attempt]
  if (delay !== undefined) return { type: 'Deferred', inMs: delay, counts: true, deferredFor: 'fault', error: said }
  for (;;) {
    try {
      await moveToDeadLetter(pool, kind, { job, error })
      return 'lost'
    } catch {
      if (!(error instanceof Unrecoverable)) return uncounted
      // Given back, it would be tried again: it stays claimed until it is a dead letter.
      await sleep(RETRY_MS, undefined, { ref: false })
    }
  }
}
