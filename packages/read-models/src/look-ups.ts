import type { Kysely } from 'kysely'
import type { ApiKeyRow, ReadModels } from './tables.ts'

// What has to be found before the workspace is known. Nothing else may look across workspaces.

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
