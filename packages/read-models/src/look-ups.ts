import type { Kysely } from 'kysely'
import type { ApiKeyRow, ReadModels, WorkspaceRow } from './tables.ts'

// What has to be found before the workspace is known. Nothing else may look across workspaces.

export type KeyWithWorkspace = Readonly<{ key: ApiKeyRow; workspace: WorkspaceRow }>

/** The API key with this SHA-256 (lowercase hex) and its workspace, whatever their status; undefined when there is none. */
export const apiKeyByHash = async (db: Kysely<ReadModels>, hash: string): Promise<KeyWithWorkspace | undefined> => {
  const read = db.withSchema('read')
  const key = await read.selectFrom('api_keys').selectAll().where('hash', '=', hash).executeTakeFirst()
  if (key === undefined) return undefined
  const workspace = await read.selectFrom('workspaces').selectAll().where('workspace_id', '=', key.workspace_id).executeTakeFirst()
  return workspace === undefined ? undefined : { key, workspace }
}

export const workspaceBySlug = (db: Kysely<ReadModels>, slug: string): Promise<WorkspaceRow | undefined> =>
  db.withSchema('read').selectFrom('workspaces').selectAll().where('slug', '=', slug).executeTakeFirst()

/** For the operator's commands, which name a key by its id alone. */
export const apiKeyById = (db: Kysely<ReadModels>, id: string): Promise<ApiKeyRow | undefined> =>
  db.withSchema('read').selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()

export type MessageAddress = Readonly<{ workspaceId: string; messageId: string; contactId: string }>

/** Whose message a receipt of a provider speaks of, by the id of our API; undefined when there is none. */
export const messageById = async (db: Kysely<ReadModels>, id: string): Promise<MessageAddress | undefined> => {
  const row = await db
    .withSchema('read')
    .selectFrom('messages')
    .select(['workspace_id', 'id', 'contact_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? undefined : { workspaceId: row.workspace_id, messageId: row.id, contactId: row.contact_id }
}
