import type { EventLog } from '@tidings/codec'
import { type ListEvent, listStream } from '@tidings/domain'
import { LRUCache } from 'lru-cache'
import { type ContactsSoFar, contactsSoFar } from './contacts-so-far.ts'

/** What the data of a delivery is made from. */
export type Reading = Readonly<{
  log: EventLog
  contacts: ContactsSoFar
  /** Null for a list that nobody knows. The name of a list never changes. */
  listName: (workspaceId: string, listId: string) => Promise<string | null>
}>

const MAX_LISTS = 5_000

export const readingFrom = (log: EventLog): Reading => {
  const names = new LRUCache<string, string>({ max: MAX_LISTS })
  return {
    log,
    contacts: contactsSoFar(log),
    listName: async (workspaceId, listId) => {
      const stream = listStream(workspaceId, listId)
      const known = names.get(stream)
      if (known !== undefined) return known
      const name = (await log.readStream<ListEvent>(workspaceId, stream, { limit: 1 }))[0]?.data.name
      if (name !== undefined) names.set(stream, name)
      return name ?? null
    },
  }
}
