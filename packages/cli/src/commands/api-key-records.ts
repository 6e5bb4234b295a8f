import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'

/** The record of a key (N34); the key itself is not stored. */
export type ApiKeyRecord = Readonly<{
  id: string
  name: string
  prefix: string
  status: 'active' | 'revoked'
  lastUsedAt: string | null
  createdAt: string
  revokedAt: string | null
}>

/** A workspace's keys, newest first. */
export async function apiKeyRecords(pool: Pool, workspaceId: string): Promise<readonly ApiKeyRecord[]> {
  const rows = await forWorkspace(kyselyOn<ReadModels>(pool), workspaceId)
    .apiKeys()
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const used = await pool.query<{ key_id: string; last_used_at: Date }>(
    'select key_id, last_used_at from ops.api_key_usage where workspace_id = $1',
    [workspaceId],
  )
  const lastUsed = new Map(used.rows.map(({ key_id, last_used_at }) => [key_id, last_used_at]))
  return rows.map(({ id, name, prefix, status, created_at, revoked_at }) => ({
    id,
    name,
    prefix,
    status,
    lastUsedAt: lastUsed.get(id)?.toISOString() ?? null,
    createdAt: created_at.toISOString(),
    revokedAt: revoked_at?.toISOString() ?? null,
  }))
}
