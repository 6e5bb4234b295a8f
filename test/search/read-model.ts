import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { rebuild } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import { searchTextOf } from '@tidings/read-models'
import type { Pool } from 'pg'

export type Person = Readonly<{
  id: string
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  subscribed: boolean
  at: Date
}>

/** The tables as a rebuild of an empty log leaves them. */
export async function emptyTables(pool: Pool, names: readonly string[]): Promise<void> {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  for (const projection of projections.filter(({ name }) => names.includes(name))) await rebuild({ pool, projection, log })
}

/** Writes rows as the projection does, with what it counts, for the event at that commit. */
export async function writePeople(pool: Pool, workspaceId: string, people: readonly Person[], commit = 1): Promise<void> {
  await writeRows(pool, workspaceId, people, commit)
  for (const bucket of ['all', 'searched']) await count(pool, { workspaceId, bucket, by: people.length, commit })
}

/** Changes a row as the projection does. */
export async function changePerson(pool: Pool, workspaceId: string, person: Person, commit: number): Promise<void> {
  await deleteRows(pool, workspaceId, person.id)
  await writeRows(pool, workspaceId, [person], commit)
  await count(pool, { workspaceId, bucket: 'searched', by: 1, commit })
}

/** Removes a row as the projection does. */
export async function erasePerson(pool: Pool, workspaceId: string, id: string, commit: number): Promise<void> {
  await deleteRows(pool, workspaceId, id)
  await count(pool, { workspaceId, bucket: 'all', by: -1, commit })
  for (const bucket of ['searched', 'erased']) await count(pool, { workspaceId, bucket, by: 1, commit })
}

const writeRows = async (pool: Pool, workspaceId: string, people: readonly Person[], commit: number): Promise<void> => {
  const rows = people.map((person) => ({ ...profileRow(workspaceId, person), last_commit: commit, last_prepare: 0 }))
  const texts = rows.map((row) => {
    const { workspace_id, id, created_at, last_commit, last_prepare } = row
    return { workspace_id, id, created_at, ...searchTextOf(row), last_commit, last_prepare }
  })
  await insert(pool, 'profiles', rows)
  await insert(pool, 'profile_search', texts)
}

const deleteRows = async (pool: Pool, workspaceId: string, id: string): Promise<void> => {
  for (const table of ['profiles', 'profile_search'])
    await pool.query(`delete from read.${table} where workspace_id = $1 and id = $2`, [workspaceId, id])
}

/** Adds to one of the counters. */
export async function count(
  pool: Pool,
  { workspaceId, bucket, by, commit = 1 }: Readonly<{ workspaceId: string; bucket: string; by: number; commit?: number }>,
): Promise<void> {
  await pool.query(
    `insert into read.profile_totals as t (workspace_id, bucket, total, last_commit, last_prepare) values ($1, $2, $3, $4, 0)
     on conflict (workspace_id, bucket) do update
     set total = t.total + excluded.total, last_commit = greatest(t.last_commit, excluded.last_commit)`,
    [workspaceId, bucket, by, commit],
  )
}

/** Rows of a table by its columns. */
export async function insert(pool: Pool, table: string, rows: readonly object[]): Promise<void> {
  await pool.query(`insert into read.${table} select * from json_populate_recordset(null::read.${table}, $1)`, [JSON.stringify(rows)])
}

const profileRow = (workspaceId: string, { id, email, phone, firstName, lastName, subscribed, at }: Person) => ({
  workspace_id: workspaceId,
  id,
  email,
  phone,
  first_name: firstName,
  last_name: lastName,
  email_consent: subscribed ? 'subscribed' : 'never_subscribed',
  sms_consent: 'never_subscribed',
  push_consent: 'never_subscribed',
  email_validation_state: 'unknown',
  custom_properties: {},
  tags: [],
  email_suppressed: false,
  sms_suppressed: false,
  created_at: at,
  updated_at: at,
})
