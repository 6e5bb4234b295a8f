import type { ContactId, ListId, WorkspaceId } from '@tidings/domain'
import type { ClientBase, Pool } from 'pg'

/** A rule that is brought to all contacts of its workspace. */
export type Run = Readonly<{ workspaceId: WorkspaceId; listId: ListId; version: number }>

/** Runs that go on after the same contact, up to where another one of the workspace is: from there on they share their pages. */
export type RunGroup = Readonly<{ workspaceId: WorkspaceId; listIds: readonly ListId[]; after: ContactId; until: ContactId | null }>

/** Now, where a rule is still to be brought to some contacts. */
export const FIRST_RUN = 'select 0 from lists.run where finished_at is null limit 1'

/** Whether a rule is still to be brought to some contacts. */
export async function isAnyUnfinished(pool: Pool): Promise<boolean> {
  const text = 'select exists (select from lists.run where finished_at is null) as unfinished'
  const { rows } = await pool.query<{ unfinished: boolean }>({ name: 'lists-any-unfinished', text })
  return rows[0]?.unfinished === true
}

/** The runs that have not begun, oldest first. */
export async function newRuns(pool: Pool): Promise<readonly Run[]> {
  const { rows } = await pool.query<Run>(
    `select workspace_id as "workspaceId", list_id as "listId", version from lists.run
     where finished_at is null and not is_ready order by started_at limit 1000`,
  )
  return rows
}

/** Lets these runs begin. One whose rule has changed since stays as it is. */
export async function beginRuns(pool: Pool, runs: readonly Run[]): Promise<void> {
  await pool.query(
    `update lists.run r set is_ready = true
     from unnest($1::uuid[], $2::uuid[], $3::int[]) g(workspace_id, list_id, version)
     where r.workspace_id = g.workspace_id and r.list_id = g.list_id and r.version = g.version`,
    [runs.map(({ workspaceId }) => workspaceId), runs.map(({ listId }) => listId), runs.map(({ version }) => version)],
  )
}

/** Locks the runs that are furthest behind in the workspace that waited longest for a page; null where another process has them, or none is left. */
export async function lockGroup(tx: ClientBase): Promise<RunGroup | null> {
  const { rows } = await tx.query<{ workspace_id: WorkspaceId; list_id: ListId; after: ContactId }>(
    `with behind as (
       select r.workspace_id, r.after from lists.run r
       where r.finished_at is null and r.is_ready
         and r.workspace_id = (select workspace_id from lists.run where finished_at is null and is_ready order by touched_at limit 1)
       order by r.after limit 1)
     select r.workspace_id, r.list_id, r.after from lists.run r join behind b on b.workspace_id = r.workspace_id and b.after = r.after
     where r.finished_at is null and r.is_ready for update of r skip locked`,
  )
  const [first] = rows
  if (first === undefined) return null
  const next = await tx.query<{ after: ContactId | null }>(
    `select min(after::text) as after from lists.run
     where workspace_id = $1 and finished_at is null and is_ready and after > $2`,
    [first.workspace_id, first.after],
  )
  const listIds = rows.map(({ list_id }) => list_id)
  return { workspaceId: first.workspace_id, listIds, after: first.after, until: next.rows[0]?.after ?? null }
}

/** `after` null: the last contact is done. `changes`: by list, how many contacts were not where the rule says. */
export type PageDone = Readonly<{ after: ContactId | null; contacts: number; changes: ReadonlyMap<string, number> }>

/** Moves the runs of the group past a page. */
export async function movePast(tx: ClientBase, { workspaceId, listIds }: RunGroup, { after, contacts, changes }: PageDone): Promise<void> {
  await tx.query(
    `update lists.run r set after = coalesce($3, r.after), contacts = r.contacts + $4, changes = r.changes + g.changes,
       touched_at = clock_timestamp(), finished_at = case when $3::uuid is null then clock_timestamp() end
     from unnest($2::uuid[], $5::bigint[]) g(list_id, changes) where r.workspace_id = $1 and r.list_id = g.list_id`,
    [workspaceId, listIds, after, contacts, listIds.map((listId) => changes.get(listId) ?? 0)],
  )
}
