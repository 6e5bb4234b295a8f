import { entriesUpTo } from '@tidings/async'
import type { EventLog, KeyRing } from '@tidings/codec'
import { type ListEvent, type ListId, listStream, type WorkspaceId } from '@tidings/domain'
import { LRUCache } from 'lru-cache'
import { type ContactsAsOf, createContactsAsOf } from './contacts-as-of.ts'
import { createErasedContacts, type ErasedContacts } from './erased-contacts.ts'

/** The sources of the data of a delivery. */
export type PayloadReader = Readonly<{
  log: EventLog
  contacts: ContactsAsOf
  /** Null for an unknown list. The name of a list never changes. */
  listName: (workspaceId: WorkspaceId, listId: ListId) => Promise<string | null>
  erased: ErasedContacts
}>

const MAX_LISTS = 5_000

export function createPayloadReader(log: EventLog, keyRing: Pick<KeyRing, 'cached' | 'load'>): PayloadReader {
  const names = new LRUCache<string, string>(entriesUpTo(MAX_LISTS))
  return {
    log,
    contacts: createContactsAsOf(log),
    erased: createErasedContacts(log, keyRing),
    listName: async (workspaceId, listId) => {
      const stream = listStream(workspaceId, listId)
      const known = names.get(stream)
      if (known !== undefined) return known
      const first = (await log.readStream<ListEvent>(workspaceId, stream, { limit: 1 }))[0]
      const name = first?.type === 'ListCreated' ? first.data.name : undefined
      if (name !== undefined) names.set(stream, name)
      return name ?? null
    },
  }
}
