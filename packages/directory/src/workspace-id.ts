import { entriesUpTo } from '@tidings/async'
import { uuidv5 } from '@tidings/codec'
import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { LRUCache } from 'lru-cache'

/** Fixed for ever: workspace ids are made from it. */
const WORKSPACES = '6f0f2f1e-3c0b-5d59-9a63-0d4c9c6c7d11'

/** The id is made from the slug: two creations of one slug meet in one stream, and the id needs no lookup. */
export function workspaceIdOf(slug: string): WorkspaceId {
  return asWorkspaceId(uuidv5(slug, WORKSPACES))
}

/** The longest slug of the contract: what callers without a key name may be longer, and is not kept. */
const SLUG_LENGTH = 24
/** Hashing costs 1.2 µs, which every request would spend. */
const ids = new LRUCache<string, WorkspaceId>({ ...entriesUpTo(10_000), memoMethod: workspaceIdOf })

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The id of a workspace that is named by its slug or by its lower-case UUID. */
export function workspaceIdFrom(reference: string): WorkspaceId {
  if (UUID.test(reference)) return asWorkspaceId(reference)
  return reference.length > SLUG_LENGTH ? workspaceIdOf(reference) : ids.memo(reference)
}
