import { type MaybePromise, repeat } from '@tidings/async'
import type { WorkspaceId, WorkspacePlan } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import type { Pool } from 'pg'
import type { DirectoryKey } from '../directory.ts'
import { keysFromTable } from '../rows/api-keys.ts'
import { rowsAtCheckpoint } from '../rows/at-checkpoint.ts'
import { workspaceIdFrom } from '../workspace-id.ts'
import { createRefreshedRows } from './refreshed-rows.ts'

type KnownWorkspace = Readonly<{
  workspaceId: WorkspaceId
  slug: string
  name: string
  plan: WorkspacePlan
  status: 'active' | 'suspended' | 'closed'
}>

/** What authentication and `GET /public/me` ask, for a process that has Postgres and nothing else. */
export type TableCredentials = Readonly<{ findKey: (hash: string) => MaybePromise<DirectoryKey | null> }> &
  Readonly<{
    findWorkspace: (reference: string) => KnownWorkspace | null | Promise<KnownWorkspace | null>
    /** Every change up to here has taken effect; null before the first refresh. */
    position: () => Position | null
    stop: () => Promise<void>
  }>

/** A change takes effect within this; a revocation is confirmed only then. */
const REFRESH_INTERVAL_MS = 200

type KnownWorkspaceRow = Omit<KnownWorkspace, 'workspaceId'> & Readonly<{ n: number; workspace_id: WorkspaceId }>

const workspacesById = (pool: Pool) =>
  rowsAtCheckpoint<KnownWorkspaceRow, KnownWorkspace>(pool, {
    name: 'workspaces of keys',
    projections: ['workspaces'],
    values: (ids) => [ids],
    toEntry: ({ workspace_id, slug, name, plan, status }) => ({ workspaceId: workspace_id, slug, name, plan, status }),
    select: `select keys.n::int as n, w.workspace_id, w.slug, w.name, w.plan, w.status
      from unnest($2::uuid[]) with ordinality keys(id, n) join read.workspaces w on w.workspace_id = keys.id`,
  })

/** Reads the keys and workspaces in use again every 200 ms. `onError` is called when that begins to fail. */
export function credentialsFromTables(pool: Pool, onError: (error: unknown) => void): TableCredentials {
  const keys = createRefreshedRows({ load: keysFromTable(pool) })
  const workspaces = createRefreshedRows({ load: workspacesById(pool) })
  let failing = false
  const refresh = async (): Promise<number> => {
    try {
      await Promise.all([keys.refresh(), workspaces.refresh()])
      failing = false
    } catch (error) {
      if (!failing) onError(error)
      failing = true
    }
    return REFRESH_INTERVAL_MS
  }
  const refreshing = repeat({ round: refresh })
  return {
    findKey: keys.get,
    findWorkspace: (reference) => workspaces.get(workspaceIdFrom(reference)),
    position: () => older(keys.position(), workspaces.position()),
    stop: refreshing.stop,
  }
}

const older = (a: Position | null, b: Position | null): Position | null =>
  a === null || b === null ? null : comparePositions(a, b) < 0 ? a : b
