import { sharedStatement } from '@tidings/async'
import type { WorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'

/** A suspension that is not renewed expires: no job waits longer than this for a worker that was killed. */
const SUSPENSION_MS = 60_000
/** Only a suspension with less left than this is renewed: so one of many processes writes it, and not each. */
const RENEW_BELOW_MS = 40_000

/** Keeps the jobs of a workspace from being claimed, for a minute. A claimed job goes on. */
export async function suspendJobs(pool: Pool, kind: string, workspaceId: WorkspaceId): Promise<void> {
  await pool.query(
    `insert into inbox.suspended_workspace (kind, workspace_id, suspended_until) values ($1, $2, clock_timestamp() + $3::int * interval '1 ms')
     on conflict (kind, workspace_id) do update set suspended_until = excluded.suspended_until`,
    [kind, workspaceId, SUSPENSION_MS],
  )
}

/** Renews the suspensions of these workspaces, where there still are any. */
export async function renewSuspensions(pool: Pool, kind: string, workspaceIds: readonly WorkspaceId[]): Promise<void> {
  if (workspaceIds.length === 0) return
  await pool.query(
    `update inbox.suspended_workspace set suspended_until = clock_timestamp() + $3::int * interval '1 ms'
     where kind = $1 and workspace_id = any ($2::uuid[]) and suspended_until < clock_timestamp() + $4::int * interval '1 ms'`,
    [kind, workspaceIds, SUSPENSION_MS, RENEW_BELOW_MS],
  )
}

type SuspendedRow = Readonly<{ kind: string; workspace_id: WorkspaceId }>

/** So many of each kind. */
const MOST_SUSPENDED = 1_000

const suspendedOf = sharedStatement({
  ask: async (pool: Pool, kinds: readonly string[]) => {
    const { rows } = await pool.query<SuspendedRow>({
      name: 'inbox-suspended',
      text: `select k.kind, h.workspace_id from unnest($1::text[]) k(kind) cross join lateral (
          select workspace_id, suspended_until from inbox.suspended_workspace where kind = k.kind order by suspended_until limit ${MOST_SUSPENDED}) h
        order by h.suspended_until`,
      values: [kinds],
    })
    return rows
  },
  pick: (rows, kind) => rows.flatMap((row) => (row.kind === kind ? [row.workspace_id] : [])),
  // No row would say that no workspace is suspended, and the suspensions would end.
  failsLate: true,
})

/**
 * The workspaces that are or were suspended, those whose suspension expires first come first; at most a thousand. What is asked in one turn of the event
 * loop is one statement.
 */
export function suspendedWorkspaces(pool: Pool, kind: string): Promise<readonly WorkspaceId[]> {
  return suspendedOf(pool)(kind)
}

/** A job of a suspended workspace that is put back is due within so long: what waits for later waits for something else. */
export const PUT_BACK_MS = 60_000

/**
 * Ends the suspension, and lets the first attempts that were put off for it go on now; what waits for another reason goes on waiting. Their
 * order stays: only the head of a lane is ever put off. Looks at what is due soon, so that a million that wait for days delay no claim.
 */
export function resumeJobs(pool: Pool, kind: string, workspaceId: WorkspaceId): Promise<void> {
  return transaction(pool, async (tx) => {
    await tx.query('select inbox.lock_kind($1)', [kind])
    await tx.query('delete from inbox.suspended_workspace where kind = $1 and workspace_id = $2', [kind, workspaceId])
    await tx.query(
      `update inbox.job set due_at = now()
       where kind = $1 and workspace_id = $2 and due_at > now() and due_at <= now() + $3::int * interval '1 ms'
       and token is null and attempt = 0 and deferred_for = 'workspace_suspended'`,
      [kind, workspaceId, PUT_BACK_MS],
    )
  })
}
