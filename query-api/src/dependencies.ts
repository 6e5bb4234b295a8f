import type { ReadModels, WorkspaceId, WorkspaceRow } from '@tidings/read-models'
import type { Kysely } from 'kysely'

type KnownWorkspace = Readonly<{ workspaceId: WorkspaceId }> & Readonly<Pick<WorkspaceRow, 'slug' | 'name' | 'plan' | 'status'>>

/**
 * The dependencies of the read routes: Postgres and nothing else. `findWorkspace` takes a lower-case UUID and is never older than a change that
 * was confirmed. `poolSize`: how many connections `db` has. `vapidPublicKey`: null where web push is not configured.
 */
export type Dependencies = Readonly<{
  db: Kysely<ReadModels>
  poolSize: number
  findWorkspace: (workspaceId: WorkspaceId) => KnownWorkspace | null | Promise<KnownWorkspace | null>
  vapidPublicKey: string | null
}>
