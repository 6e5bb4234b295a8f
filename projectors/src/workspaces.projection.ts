import type {
  ApiKeyCreated,
  ApiKeyDeleted,
  ApiKeyRevoked,
  WorkspaceCreated,
  WorkspaceSettingsChanged,
  WorkspaceStatusChanged,
} from '@tidings/domain'
import { defineProjection, defineTable, row } from '@tidings/projections'
import type { ApiKeyRow, WorkspaceRow } from '@tidings/read-models'

type Events = WorkspaceCreated | WorkspaceSettingsChanged | WorkspaceStatusChanged | ApiKeyCreated | ApiKeyRevoked | ApiKeyDeleted

const workspaces = defineTable<WorkspaceRow<string>>({
  name: 'workspaces',
  columns: {
    workspace_id: 'uuid',
    slug: 'text',
    name: 'text',
    plan: 'text',
    status: 'text',
    country: 'text',
    tracking: 'boolean',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  key: ['workspace_id'],
  indices: [{ name: 'slug', on: 'slug', unique: true }],
})

const apiKeys = defineTable<ApiKeyRow<string>>({
  name: 'api_keys',
  columns: {
    workspace_id: 'uuid',
    id: 'uuid',
    name: 'text',
    prefix: 'text',
    hash: 'text',
    status: 'text',
    created_at: 'timestamptz',
    revoked_at: 'timestamptz?',
  },
  key: ['workspace_id', 'id'],
  indices: [
    { name: 'hash', on: 'hash', unique: true },
    { name: 'id', on: 'id' },
  ],
})

/** Workspaces and the keys that open them, in one transaction: who is let in is never half known. */
export const workspacesProjection = defineProjection<Events>({
  name: 'workspaces',
  version: 1,
  tables: [workspaces, apiKeys],
  // The person who asked for a key, and their address, stay in the log.
  personal: [],
  reads: ({ type, data, meta: { workspaceId } }) => {
    if (type === 'WorkspaceSettingsChanged' || type === 'WorkspaceStatusChanged') return [row(workspaces, workspaceId)]
    return type === 'ApiKeyRevoked' || type === 'ApiKeyDeleted' ? [row(apiKeys, workspaceId, data.keyId)] : []
  },
  on: {
    WorkspaceCreated: ({ data: { workspaceId, ...settings }, meta: { at } }, rows) =>
      rows.create(workspaces, { workspace_id: workspaceId, ...settings, status: 'active', created_at: at, updated_at: at }),

    WorkspaceSettingsChanged: ({ data, meta: { workspaceId, at } }, rows) => {
      const known = rows.get(workspaces, workspaceId)
      if (known !== undefined) rows.put(workspaces, { ...known, ...data, updated_at: at })
    },

    WorkspaceStatusChanged: ({ data: { status }, meta: { workspaceId, at } }, rows) => {
      const known = rows.get(workspaces, workspaceId)
      if (known !== undefined) rows.put(workspaces, { ...known, status, updated_at: at })
    },

    ApiKeyCreated: ({ data: { keyId, name, prefix, hash }, meta: { workspaceId, at } }, rows) =>
      rows.create(apiKeys, {
        workspace_id: workspaceId,
        id: keyId,
        name,
        prefix,
        hash,
        status: 'active',
        created_at: at,
        revoked_at: null,
      }),

    ApiKeyRevoked: ({ data: { keyId }, meta: { workspaceId, at } }, rows) => {
      const key = rows.get(apiKeys, workspaceId, keyId)
      if (key !== undefined) rows.put(apiKeys, { ...key, status: 'revoked', revoked_at: at })
    },

    ApiKeyDeleted: ({ data: { keyId }, meta: { workspaceId } }, rows) => rows.delete(apiKeys, workspaceId, keyId),
  },
})
