import { compiledQuery } from '@tidings/postgres'
import type { Kysely } from 'kysely'
import { forWorkspace } from './for-workspace.ts'
import type { ProfileRow, ReadModels } from './tables.ts'

/** The look-up that every profile write and read ends with; undefined where the workspace shows no such profile. */
export const profileById = (db: Kysely<ReadModels>): ((workspaceId: string, id: string) => Promise<ProfileRow | undefined>) => {
  const find = compiledQuery(db, (workspaceId: string, id: string) =>
    forWorkspace(db, workspaceId).profiles().selectAll().where('id', '=', id),
  )
  return async (workspaceId, id) => (await find(workspaceId, id))[0]
}
