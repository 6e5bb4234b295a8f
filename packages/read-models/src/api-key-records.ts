import { type ApiKeyId, type ApiKeyKind, apiKeyKind, type WorkspaceId } from '@tidings/domain'
import { type Kysely, sql } from 'kysely'
import { forWorkspace } from './for-workspace.ts'
import type { ApiKeyRow, ReadModels } from './tables.ts'

/** The record of a key (N34); the key itself is not stored. */
export type ApiKeyRecord = Readonly<{
  id: ApiKeyId
  name: string
  kind: ApiKeyKind
  prefix: string
  status: 'active' | 'revoked'
  lastUsedAt: string | null
  createdAt: string
  revokedAt: string | null
}>

type UsedApiKeyRow = ApiKeyRow & Readonly<{ last_used_at: Date | null }>

const toRecord = ({ id, name, prefix, status, last_used_at, created_at, revoked_at }: UsedApiKeyRow): ApiKeyRecord => ({
  id,
  name,
  kind: apiKeyKind(prefix),
  prefix,
  status,
  lastUsedAt: last_used_at?.toISOString() ?? null,
  createdAt: created_at.toISOString(),
  revokedAt: revoked_at?.toISOString() ?? null,
})

/** A workspace's keys; when each was last used stands in a table of its own, which no projection maintains. */
const keysOf = (db: Kysely<ReadModels>, workspaceId: WorkspaceId) =>
  forWorkspace(db, workspaceId)
    .apiKeys()
    .selectAll()
    .select(sql<Date | null>`(select last_used_at from ops.api_key_usage where key_id = api_keys.id)`.as('last_used_at'))

/** A workspace's keys, newest first. */
export async function apiKeyRecords(db: Kysely<ReadModels>, workspaceId: WorkspaceId): Promise<readonly ApiKeyRecord[]> {
  return (await keysOf(db, workspaceId).orderBy('created_at', 'desc').orderBy('id', 'desc').execute()).map(toRecord)
}

/** Undefined for a key that the workspace does not have, or that is not shown yet. */
export async function apiKeyRecord(db: Kysely<ReadModels>, workspaceId: WorkspaceId, id: ApiKeyId): Promise<ApiKeyRecord | undefined> {
  const found = await keysOf(db, workspaceId).where('id', '=', id).executeTakeFirst()
  return found && toRecord(found)
}
