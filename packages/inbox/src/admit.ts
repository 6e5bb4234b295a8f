import type { ClientBase } from 'pg'
import type { NewJob } from './job.ts'

/**
 * Admits a batch in one statement inside the caller's transaction and answers how many were new; a job that is already waiting is left alone.
 * Holds the kind's lock until that transaction ends: admit last, commit at once.
 */
export async function admit(tx: ClientBase, kind: string, jobs: readonly NewJob[]): Promise<number> {
  if (jobs.length === 0) return 0
  const admitted = await tx.query<{ admitted: number }>({
    name: 'inbox-admit',
    text: 'select inbox.admit($1, $2::uuid[], $3::text[], $4::bigint[], $5::text[]) as admitted',
    values: [
      kind,
      `{${jobs.map((job) => job.workspaceId).join(',')}}`,
      jobs.map((job) => job.lane),
      `{${jobs.map((job) => job.seq).join(',')}}`,
      jobs.map((job) => job.payload),
    ],
  })
  return admitted.rows[0]?.admitted ?? 0
}
