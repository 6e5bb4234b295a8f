import type { ApiKeyId, WorkspaceId } from '@tidings/domain'
import { createReferenceCache, type ReferenceCache } from '@tidings/log-views'
import type { Pool } from 'pg'
import type { DirectoryKey } from '../directory.ts'
import { rowsAtCheckpoint } from './at-checkpoint.ts'

type DirectoryKeyRow = Readonly<{ n: number; id: ApiKeyId; workspace_id: WorkspaceId; status: 'active' | 'revoked' }>

/** Reads API keys by the SHA-256 of the whole key. */
export function keysFromTable(pool: Pool) {
  return rowsAtCheckpoint<DirectoryKeyRow, DirectoryKey>(pool, {
    name: 'directory api keys',
    projections: ['workspaces'],
    values: (hashes) => [hashes],
    toEntry: ({ id, workspace_id, status }) => ({ keyId: id, workspaceId: workspace_id, status }),
    select: `select keys.n::int as n, k.id, k.workspace_id, k.status
      from unnest($2::text[]) with ordinality keys(hash, n) join read.api_keys k on k.hash = keys.hash`,
  })
}

/** API keys by the SHA-256 of the whole key; a revocation removes its key before the next event is applied. */
export function apiKeysByHash(pool: Pool): ReferenceCache<DirectoryKey> {
  return createReferenceCache({
    name: 'api keys',
    invalidates: { ApiKeyRevoked: ({ data }) => [data.keyId], ApiKeyDeleted: ({ data }) => [data.keyId] },
    tagsOf: ({ keyId }) => [keyId],
    load: keysFromTable(pool),
  })
}
