import { entriesUpTo } from '@tidings/async'
import type { KeyRing, Recorded, StreamReader } from '@tidings/codec'
import { type ContactId, contactStream, contactSubject, type WorkspaceId } from '@tidings/domain'
import { asksForErasure, isErasureAskedFor } from '@tidings/log-views'
import { LRUCache } from 'lru-cache'
import { MAX_AGE_MS } from './cache-limits.ts'

export type ErasedContacts = Readonly<{
  /** Whether the contact's erasure was asked for, or its key is destroyed. */
  has: (workspaceId: WorkspaceId, contactId: ContactId) => Promise<boolean>
  /** The end of a contact's stream, as it was read for something else. */
  learn: (events: readonly Recorded[]) => void
  /** Drops what is cached: some contact is to be erased. */
  clear: () => void
}>

const MAX_CONTACTS = 20_000

/** Reads the end of a contact's stream once, until an erasure is heard of: no event but that of its end follows the request. */
export function createErasedContacts(log: StreamReader, keyRing: Pick<KeyRing, 'cached' | 'load'>): ErasedContacts {
  const present = new LRUCache<string, true>({ ...entriesUpTo(MAX_CONTACTS), ttl: MAX_AGE_MS, ttlResolution: 0 })
  let cleared = 0

  const isAskedFor = async (workspaceId: WorkspaceId, contactId: ContactId): Promise<boolean> => {
    const stream = contactStream(workspaceId, contactId)
    if (present.has(stream)) return false
    const before = cleared
    if (await isErasureAskedFor(log, workspaceId, contactId)) return true
    if (cleared === before) present.set(stream, true)
    return false
  }

  return {
    has: async (workspaceId, contactId) => {
      const subject = contactSubject({ contactId })
      const keys = keyRing.cached(workspaceId, subject) ?? (await keyRing.load([{ workspaceId, subject }]))[0]
      return keys?.length === 0 || (await isAskedFor(workspaceId, contactId))
    },
    learn: (events) => {
      const last = events.at(-1)
      if (last !== undefined && !asksForErasure(last)) present.set(last.stream, true)
    },
    clear: () => {
      cleared++
      present.clear()
    },
  }
}
