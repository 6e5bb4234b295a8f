import { setTimeout as sleep } from 'node:timers/promises'
import { comparePositions, type Position } from '@tidings/event-store'
import type { Pool } from 'pg'
import type { Directory, DirectoryWorkspace } from '../directory.ts'
import { keysFromTable } from '../rows/api-keys.ts'
import { rowsAtCheckpoint } from '../rows/at-checkpoint.ts'
import { workspaceIdFrom } from '../workspace-id.ts'
import { refreshedRows } from './refreshed-rows.ts'

type Standing = Pick<DirectoryWorkspace, 'workspaceId' | 'slug' | 'status'>

/** Who may come in, for a process that has Postgres and nothing else. */
export type TableCredentials = Pick<Directory, 'findKey'> &
  Readonly<{
    findWorkspace: (reference: string) => Standing | null | Promise<Standing | null>
    /** Up to here every change is obeyed; null before the first look. */
    position: () => Position | null
    stop: () => Promise<void>
  }>

/** How late a change is obeyed: nobody is told that a key is revoked before. */
const ROUND_MS = 200

type Row = Readonly<{ n: number; workspace_id: string; slug: string; status: Standing['status'] }>

const standingById = (pool: Pool) =>
  rowsAtCheckpoint<Row, Standing>(pool, {
    name: 'standing of workspaces',
    projections: ['workspaces'],
    values: (ids) => [ids],
    toEntry: ({ workspace_id, slug, status }) => ({ workspaceId: workspace_id, slug, status }),
    select: `select keys.n::int as n, w.workspace_id, w.slug, w.status
      from unnest($2::uuid[]) with ordinality keys(id, n) join read.workspaces w on w.workspace_id = keys.id`,
  })

/** Looks again every 200 ms at the keys and workspaces in use; `onError` hears when that begins to fail. */
export const credentialsFromTables = (pool: Pool, onError: (error: unknown) => void): TableCredentials => {
  const keys = refreshedRows({ load: keysFromTable(pool) })
  const workspaces = refreshedRows({ load: standingById(pool) })
  const stopping = new AbortController()
  let failing = false
  const look = async (): Promise<void> => {
    try {
      await Promise.all([keys.refresh(), workspaces.refresh()])
      failing = false
    } catch (error) {
      if (!failing) onError(error)
      failing = true
    }
  }
  const looking = keepLooking(look, stopping.signal)
  return {
    findKey: keys.get,
    findWorkspace: (reference) => workspaces.get(workspaceIdFrom(reference)),
    position: () => older(keys.position(), workspaces.position()),
    stop: async () => {
      stopping.abort()
      await looking
    },
  }
}

const keepLooking = async (look: () => Promise<void>, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await look()
    await sleep(ROUND_MS, undefined, { signal }).catch(() => undefined) // told to stop
  }
}

const older = (a: Position | null, b: Position | null): Position | null =>
  a === null || b === null ? null : comparePositions(a, b) < 0 ? a : b
