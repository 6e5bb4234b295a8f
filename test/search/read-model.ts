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

/** As the projection writes them, with what it counts. */
export async function writePeople(pool: Pool, workspaceId: string, people: readonly Person[]): Promise<void> {
  const rows = people.map((person) => profileRow(workspaceId, person))
  const texts = rows.map((row) => ({ workspace_id: workspaceId, id: row.id, created_at: row.created_at, ...NEW, ...searchTextOf(row) }))
  await insert(pool, 'profiles', rows)
  await insert(pool, 'profile_search', texts)
  for (const bucket of ['all', 'searched']) await count(pool, { workspaceId, bucket, by: people.length })
}

/** Adds to one of the counters. */
export async function count(
  pool: Pool,
  { workspaceId, bucket, by }: Readonly<{ workspaceId: string; bucket: string; by: number }>,
): Promise<void> {
  await pool.query(
    `insert into read.profile_totals as t (workspace_id, bucket, total, last_commit, last_prepare) values ($1, $2, $3, 1, 0)
     on conflict (workspace_id, bucket) do update set total = t.total + excluded.total`,
    [workspaceId, bucket, by],
  )
}

/** Rows of a table by its columns. */
export async function insert(pool: Pool, table: string, rows: readonly object[]): Promise<void> {
  await pool.query(`insert into read.${table} select * from json_populate_recordset(null::read.${table}, $1)`, [JSON.stringify(rows)])
}

const NEW = { last_commit: 1, last_prepare: 0 }

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
  ...NEW,
})
