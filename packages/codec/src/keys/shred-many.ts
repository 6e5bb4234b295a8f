import type { Pool } from 'pg'
import type { SubjectRef } from './key-store.ts'

// Both leave out rows that another transaction has locked, so that none waits for another in a different order.

const SHRED_THESE = `update keys.subject_key set wrapped = null, shredded_at = now() where ctid = any (array(
  select k.ctid from unnest($1::uuid[], $2::text[]) s(workspace_id, subject) join keys.subject_key k using (workspace_id, subject)
  where k.wrapped is not null for update of k skip locked))`

/** The condition on the kind is the one of its index: a literal, not a parameter. */
const SHRED_OLD_PASSCODES = `update keys.subject_key set wrapped = null, shredded_at = now() where ctid = any (array(
  select ctid from keys.subject_key
  where subject like 'passcode:%' and shredded_at is null and created_at < now() - $1 * interval '1 second'
  order by created_at limit $2 for update skip locked))`

/** An id of version 7 begins with its time, in milliseconds. */
const END_PASSCODES = `
with latest as (select lpad(to_hex((extract(epoch from clock_timestamp() - $1 * interval '1 day') * 1000)::bigint), 12, '0') as hex)
insert into keys.ended_passcodes as e (until) values ('passcode:')
on conflict (only_row) do update
set until = (select 'passcode:' || left(hex, 8) || '-' || right(hex, 4) || '-' from latest)
where e.begun_at < clock_timestamp() - interval '1 day'
  and e.until < (select 'passcode:' || left(hex, 8) || '-' || right(hex, 4) || '-' from latest)`

const DELETE_ENDED_PASSCODES = `delete from keys.subject_key where ctid = any (array(
  select ctid from keys.subject_key
  where subject like 'passcode:%' and shredded_at is not null and keys.is_ended_passcode(subject)
    and subject < (select until from keys.ended_passcodes)
  order by subject limit $1 for update skip locked))`

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

/**
 * Deletes at most `limit` rows of passcodes that were made so many days ago and whose keys are destroyed; answers how many. What stands for them says
 * so before they go: a passcode without a row is at no moment one whose key is lost, and none gets another key.
 */
export async function forgetEndedPasscodes(pool: Pool, { days, limit }: Readonly<{ days: number; limit: number }>): Promise<number> {
  await pool.query(END_PASSCODES, [days])
  return (await pool.query(DELETE_ENDED_PASSCODES, [limit])).rowCount ?? 0
}
