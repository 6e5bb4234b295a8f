import type { Pool } from 'pg'
import type { SubjectRef } from './key-store.ts'

// In both, rows that another transaction holds are left out, so that none waits for another in a different order.

const SHRED_THESE = `update keys.subject_key set wrapped = null, shredded_at = now() where ctid = any (array(
  select k.ctid from unnest($1::uuid[], $2::text[]) s(workspace_id, subject) join keys.subject_key k using (workspace_id, subject)
  where k.wrapped is not null for update of k skip locked))`

/** The condition on the kind is the one of its index: a literal, not a parameter. */
const SHRED_OLD_PASSCODES = `update keys.subject_key set wrapped = null, shredded_at = now() where ctid = any (array(
  select ctid from keys.subject_key
  where subject like 'passcode:%' and shredded_at is null and created_at < now() - $1 * interval '1 second'
  order by created_at limit $2 for update skip locked))`

/**
 * Destroys the keys of these subjects, best effort: a row that is locked at this moment keeps its key. Processes that have one cached forget
 * it within five minutes.
 */
export async function shredSubjects(pool: Pool, refs: readonly SubjectRef[]): Promise<void> {
  await pool.query(SHRED_THESE, [refs.map(({ workspaceId }) => workspaceId), refs.map(({ subject }) => subject)])
}

/** Destroys at most `limit` keys of passcodes that were made so many seconds ago, the oldest first; answers how many. */
export async function shredOldPasscodes(pool: Pool, { seconds, limit }: Readonly<{ seconds: number; limit: number }>): Promise<number> {
  return (await pool.query(SHRED_OLD_PASSCODES, [seconds, limit])).rowCount ?? 0
}
