import type { Kysely } from 'kysely'
import type { ApiKeyRow, ReadModels } from './tables.ts'

// What has to be found before the workspace is known. Nothing else may look across workspaces.

/** For the operator's commands, which name a key by its id alone. */
export function apiKeyById(db: Kysely<ReadModels>, id: string): Promise<ApiKeyRow | undefined> {
  return db.withSchema('read').selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Whose messages the receipts of a provider speak of, by the ids of our API: workspace by message, without those that are not shown. */
export async function workspacesOfMessages(db: Kysely<ReadModels>, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.withSchema('read').selectFrom('messages').select(['id', 'workspace_id']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row.workspace_id]))
}
