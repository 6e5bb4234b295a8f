import { type Aside, type Verdict, wakeAside } from '@tidings/inbox'
import type { Pool } from 'pg'

/** Longer than a worker may have a job that it puts off for what is over since: what it puts off after the first pass, the second finds. */
const SECOND_PASS_MS = 120_000

/** Wakes jobs that wait for what is over. Idempotent; `attempt`: that of the job that does it, which comes twice. */
export async function releaseTwice(
  pool: Pool,
  waiting: readonly Aside[],
  { attempt, signal }: Readonly<{ attempt: number; signal: AbortSignal }>,
): Promise<Verdict> {
  for (const aside of waiting) await wakeAside(pool, aside, signal)
  return attempt === 0 ? { inMs: SECOND_PASS_MS, counts: true, reason: 'a second pass' } : 'done'
}
