import { setTimeout as sleep } from 'node:timers/promises'
import { isRetryable } from '@tidings/postgres'
import type { Pool } from 'pg'
import { moveToDeadLetter } from './dead-letters.ts'
import { Unrecoverable, type Verdict } from './job.ts'
import type { Claimed } from './settle-and-claim.ts'

const RETRY_MS = 500

export type FaultTerms = Readonly<{ pool: Pool; kind: string; faultDelaysMs: readonly number[] }>

/** What becomes of a job whose work threw: another try, or a dead letter (then it is `lost` to its worker). */
export async function afterFault({ pool, kind, faultDelaysMs }: FaultTerms, job: Claimed, error: unknown): Promise<Verdict | 'lost'> {
  const reason = error instanceof Error ? error.message : String(error)
  if (isRetryable(error)) return { inMs: 1_000, counts: false, reason }
  const delay = error instanceof Unrecoverable ? undefined : faultDelaysMs[job.attempt]
  if (delay !== undefined) return { inMs: delay, counts: true, reason }
  for (;;) {
    try {
      await moveToDeadLetter(pool, kind, { job, error })
      return 'lost'
    } catch {
      if (!(error instanceof Unrecoverable)) return { inMs: 1_000, counts: false, reason }
      // Given back, it would be tried again: it stays claimed until it is a dead letter.
      await sleep(RETRY_MS, undefined, { ref: false })
    }
  }
}
