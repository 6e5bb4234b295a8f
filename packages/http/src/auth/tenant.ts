import type { MaybePromise } from '@tidings/async'
import type { ApiKeyId, WorkspaceId } from '@tidings/domain'

type WorkspaceStatus = 'active' | 'suspended' | 'closed'

/**
 * The workspace a request acts on, and the key it came with; where a connector or a session authenticates it, the id of that one or of its user.
 * `isPublishable`: set where anyone may have the key (M63).
 */
export type Tenant = Readonly<{ workspaceId: WorkspaceId; slug: string; keyId: string; status: WorkspaceStatus; isPublishable?: true }>

export type ApiKeyRecord = Readonly<{ keyId: ApiKeyId; workspaceId: WorkspaceId; status: 'active' | 'revoked' }>
export type WorkspaceRecord = Readonly<{ workspaceId: WorkspaceId; slug: string; status: WorkspaceStatus }>

/**
 * Finds keys and workspaces. Return the record itself where it is at hand: only a promise costs a turn of the event loop.
 * `findKey` gets the SHA-256 of the whole key in lower-case hex; `findWorkspace` a slug or a lower-case UUID.
 */
export type Credentials = Readonly<{
  findKey: (hash: string) => MaybePromise<ApiKeyRecord | null>
  findWorkspace: (reference: string) => MaybePromise<WorkspaceRecord | null>
}>
