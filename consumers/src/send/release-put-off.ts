import { releasePutOff, type Verdict } from '@tidings/inbox'
import type { Pool } from 'pg'

/** Longer than a worker may have a job that it puts off for what is over since: what it puts off after the first pass, the second finds. */
const SECOND_PASS_MS = 120_000
const BATCH = 2_000

/** Jobs of a workspace that were put off for one of these reasons. */
export type PutOff = Readonly<{ kind: string; workspaceId: string; reasons: readonly string[] }>

/** Makes jobs due now that were put off for what is over. Idempotent; `attempt`: that of the job that does it, which comes twice. */
export async function releaseTwice(
  pool: Pool,
  { kind, workspaceId, reasons }: PutOff,
  { attempt, signal }: Readonly<{ attempt: number; signal: AbortSignal }>,
): Promise<Verdict> {
  for (const putOffFor of reasons) {
    for (;;) {
      signal.throwIfAborted()
      if ((await releasePutOff(pool, kind, { workspaceId, putOffFor, limit: BATCH })) < BATCH) break
    }
  }
  return attempt === 0 ? { inMs: SECOND_PASS_MS, counts: true, reason: 'a second pass' } : 'done'
}
