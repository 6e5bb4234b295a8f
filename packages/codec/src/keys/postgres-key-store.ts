import type { Pool } from 'pg'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import type { EndedRow, KeyStore, KnownMasterKey, StoredKey, StoredPurposeKey, SubjectRef } from './key-store.ts'
import { masterKeyIdOf } from './master-key.ts'
import { type MasterKeyTexts, openMasterKeys } from './master-keys.ts'

const LOAD = `
select w.n::int, k.version, k.wrapped
from unnest($1::uuid[], $2::text[]) with ordinality w(workspace_id, subject, n)
join keys.subject_key k using (workspace_id, subject)`

/** Subjects without a row whose keys have ended: one row covers the keys of all old passcodes. */
const ENDED = 'select n::int from unnest($1::text[]) with ordinality w(subject, n) where keys.is_ended_passcode(subject)'

// One statement, so that a known subject costs no second round trip and a new one no first. Sorted: two processes that create
// the same subjects wait for each other and never deadlock. A row that another process commits meanwhile is in neither half.
// The lock on the master key's row makes the statement that retires it wait for this one, and this one see that it is retired.
const ALIVE = (parameter: string) => `alive as materialized (
  select from keys.master_key where id = ${parameter} and retired_at is null for share)`

const ENSURE = `
with ${ALIVE('$4')}, wanted as materialized (
  select * from unnest($1::uuid[], $2::text[], $3::bytea[]) with ordinality w(workspace_id, subject, wrapped, n)),
made as (
  insert into keys.subject_key (workspace_id, subject, version, wrapped)
  select workspace_id, subject, 1, wrapped from wanted where exists (select from alive) and not coalesce(keys.is_ended_passcode(subject), false)
  order by workspace_id, subject
  on conflict do nothing returning workspace_id, subject, version, wrapped)
select w.n::int, m.version, m.wrapped from wanted w join made m using (workspace_id, subject)
union all
select w.n::int, k.version, k.wrapped from wanted w join keys.subject_key k using (workspace_id, subject)`

const SHRED = `
with shredded as (
  update keys.subject_key set wrapped = null, shredded_at = now()
  where workspace_id = $1 and subject = $2 and version > 1 and wrapped is not null)
insert into keys.subject_key as k (workspace_id, subject, version, shredded_at) values ($1, $2, 1, now())
on conflict (workspace_id, subject, version) do update
set wrapped = null, shredded_at = excluded.shredded_at where k.wrapped is not null`

// The keys of the weeks are a range of the primary key: their names sort as the weeks do.
const END_DETAILS = `
with ended as (
  insert into keys.ended_details as e (workspace_id, kind, until) values ($1, $2, $3::date)
  on conflict (workspace_id, kind) do update set until = excluded.until, ended_at = clock_timestamp() where e.until < excluded.until)
update keys.subject_key set wrapped = null, shredded_at = now()
where workspace_id = $1 and subject >= 'period:' || $2 || ':' and subject < 'period:' || $2 || ':' || $3 and wrapped is not null`

const ENSURE_SECRET = `
with ${ALIVE('$3')}, made as (
  insert into keys.workspace_secret (workspace_id, wrapped) select $1, $2 where exists (select from alive)
  on conflict do nothing returning wrapped)
select wrapped from made union all select wrapped from keys.workspace_secret where workspace_id = $1`

const IN_USE = `
select encode(id, 'hex') as id from (
  select substring(wrapped for 4) as id from keys.workspace_secret
  union select substring(wrapped for 4) from keys.purpose_key
  union select substring(wrapped for 4) from keys.subject_key where wrapped is not null) used
order by 1`

type StoredKeyRow = Readonly<{ n: number }> & StoredKey

const byRef = (count: number, rows: readonly StoredKeyRow[]): StoredKey[][] => {
  const found: StoredKey[][] = Array.from({ length: count }, () => [])
  for (const row of rows) found[row.n - 1]?.push(row)
  return found
}

const DESTROYED: StoredKey = { version: 1, wrapped: null }

/** A missing row is looked at twice only where it is a passcode's: such a one may be as good as there, and destroyed. */
const withEnded = async (pool: Pool, refs: readonly SubjectRef[], found: StoredKey[][]): Promise<StoredKey[][]> => {
  const missing = refs.flatMap(({ subject }, n) => (found[n]?.length === 0 && subject.startsWith('passcode:') ? [{ subject, n }] : []))
  if (missing.length === 0) return found
  const values = [missing.map(({ subject }) => subject)]
  const { rows } = await pool.query<Readonly<{ n: number }>>({ name: 'keys_ended_passcodes', text: ENDED, values })
  for (const { n } of rows) found[missing[n - 1]?.n ?? -1]?.push(DESTROYED)
  return found
}

const workspaces = (refs: readonly SubjectRef[]) => refs.map((ref) => ref.workspaceId)
const subjects = (refs: readonly SubjectRef[]) => refs.map((ref) => ref.subject)

/** Wrapped keys in schema `keys`. Every call is one statement that commits by itself, except for a lost race. */
export function postgresKeyStore(pool: Pool): KeyStore {
  const load: KeyStore['load'] = async (refs) => {
    const { rows } = await pool.query<StoredKeyRow>({ name: 'keys_load', text: LOAD, values: [workspaces(refs), subjects(refs)] })
    return await withEnded(pool, refs, byRef(refs.length, rows))
  }
  const ensure: KeyStore['ensure'] = async (refs) => {
    const masterKeyId = refs[0] === undefined ? '' : masterKeyIdOf(refs[0].wrapped)
    const values = [workspaces(refs), subjects(refs), refs.map((ref) => ref.wrapped), masterKeyId]
    const { rows } = await pool.query<StoredKeyRow>({ name: 'keys_ensure', text: ENSURE, values })
    const found = byRef(refs.length, rows)
    const lost = refs.filter((_, n) => found[n]?.length === 0)
    if (lost.length === 0) return found
    const others = await load(lost)
    return refs.map((ref, n) => (found[n]?.length ? found[n] : (others[lost.indexOf(ref)] ?? [])))
  }
  return {
    load,
    ensure,
    shred: async (ref) => {
      await pool.query(SHRED, [ref.workspaceId, ref.subject])
    },
    endedDetails: async () => {
      const text = `select workspace_id as "workspaceId", kind, until::text from keys.ended_details`
      return (await pool.query<EndedRow>({ name: 'keys_ended', text })).rows
    },
    endDetails: async ({ workspaceId, kind, until }) => {
      await pool.query(END_DETAILS, [workspaceId, kind, until])
    },
    ensureSecret: async (workspaceId, wrapped) => {
      const read = () =>
        pool.query<{ wrapped: Buffer }>({
          name: 'keys_ensure_secret',
          text: ENSURE_SECRET,
          values: [workspaceId, wrapped, masterKeyIdOf(wrapped)],
        })
      const stored = (await read()).rows[0] ?? (await read()).rows[0]
      return stored?.wrapped ?? null
    },
    masterKeys: async () => {
      const { rows } = await pool.query<KnownMasterKey & Readonly<{ id: string }>>(
        'select id, check_value as "checkValue", replaces, sealed, retired_at is not null as retired from keys.master_key',
      )
      return new Map(rows.map((row) => [row.id, row]))
    },
    purposeKeys: async () => {
      const { rows } = await pool.query<StoredPurposeKey>('select master_key_id as "masterKeyId", purpose, wrapped from keys.purpose_key')
      return rows
    },
    masterKeysInUse: async () => (await pool.query<Readonly<{ id: string }>>(IN_USE)).rows.map(({ id }) => id),
    addMasterKey: async (id, checkValue) => {
      await pool.query('insert into keys.master_key (id, check_value) values ($1, $2) on conflict do nothing', [id, checkValue])
    },
  }
}

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

type KeyRingSettings = Readonly<{ pool: Pool }> & MasterKeyTexts

/** The key ring of this database. Throws `WrongMasterKey` where the master key is malformed or not the database's. */
export async function openKeyRing(settings: KeyRingSettings): Promise<KeyRing> {
  const store = postgresKeyStore(settings.pool)
  return createKeyRing({ store, masters: await openMasterKeys(store, settings) })
}
