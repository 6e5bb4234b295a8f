import type { ContactId, WorkspaceId } from '@tidings/domain'
import type { ClientBase, Pool } from 'pg'

/** A contact that is to be erased. */
export type ErasureRef = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>

/** A repetition changes nothing. */
export async function admitErasures(tx: ClientBase, refs: readonly ErasureRef[]): Promise<void> {
  await tx.query('insert into ops.erasure (workspace_id, contact_id) select * from unnest($1::uuid[], $2::uuid[]) on conflict do nothing', [
    refs.map(({ workspaceId }) => workspaceId),
    refs.map(({ contactId }) => contactId),
  ])
}

/** `admittedAt`: as Postgres writes it, to the microsecond. */
export type Unfinished = ErasureRef & Readonly<{ admittedAt: string }>

type ErasurePage = Readonly<{ afterSeconds: number; limit: number; behind: Unfinished | null }>

/** Those that nothing has finished `afterSeconds` after they were admitted, the oldest first, `behind` one of them. */
export async function unfinishedErasures(pool: Pool, { afterSeconds, limit, behind }: ErasurePage): Promise<readonly Unfinished[]> {
  const { rows } = await pool.query<Unfinished>(
    `select workspace_id as "workspaceId", contact_id as "contactId", admitted_at::text as "admittedAt" from ops.erasure
     where finished_at is null and admitted_at <= clock_timestamp() - make_interval(secs => $1)
       and ($3::timestamptz is null or (admitted_at, workspace_id, contact_id) > ($3, $4::uuid, $5::uuid))
     order by admitted_at, workspace_id, contact_id limit $2`,
    [afterSeconds, limit, behind?.admittedAt, behind?.workspaceId, behind?.contactId],
  )
  return rows
}

/** Adds what a place lost to what the receipt of the erasure says (M91): several tries, and processes, take away together. */
export async function noteCleared(
  pool: Pool,
  { workspaceId, contactId }: ErasureRef,
  { place, cleared }: Readonly<{ place: string; cleared: number }>,
): Promise<void> {
  await pool.query(
    `insert into ops.erasure (workspace_id, contact_id, cleared) values ($1, $2, jsonb_build_object($3::text, $4::int))
     on conflict (workspace_id, contact_id) do update
     set cleared = erasure.cleared || jsonb_build_object($3::text, coalesce((erasure.cleared ->> $3::text)::int, 0) + $4::int)`,
    [workspaceId, contactId, place, cleared],
  )
}

/** Works even if the consumer has not admitted the erasure yet. */
export async function finishErasure(pool: Pool, { workspaceId, contactId }: ErasureRef): Promise<void> {
  await pool.query(
    `insert into ops.erasure (workspace_id, contact_id, finished_at) values ($1, $2, clock_timestamp())
     on conflict (workspace_id, contact_id) do update set finished_at = excluded.finished_at`,
    [workspaceId, contactId],
  )
}

/** The metric: how many erasures are not finished, and how long the oldest of them has waited. */
export async function openErasures(pool: Pool): Promise<Readonly<{ open: number; oldestSeconds: number }>> {
  const { rows } = await pool.query<{ open: number; oldestSeconds: number }>(
    `select count(*)::int as open, coalesce(extract(epoch from clock_timestamp() - min(admitted_at)), 0)::float as "oldestSeconds"
     from ops.erasure where finished_at is null`,
  )
  return rows[0] ?? { open: 0, oldestSeconds: 0 }
}
