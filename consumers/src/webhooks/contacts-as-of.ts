import type { Recorded, StreamReader } from '@tidings/codec'
import type { ContactEvent } from '@tidings/domain'
import { type ContactAsOf, contactAfter, contactBefore } from '@tidings/evidence'
import { LRUCache } from 'lru-cache'
import { MAX_AGE_MS, roughBytes } from './cache-limits.ts'

export type ContactsAsOf = Readonly<{
  /** The contact after the append, from its stream. Only the events after the cached state are read. */
  after: (append: readonly Recorded[]) => Promise<ContactAsOf>
  /** The revision up to which the state of a contact is cached; -1 if it is not. */
  cachedUpTo: (stream: string) => number
  /** Caches the contact as of the append, from events of its stream around it, where they follow what is cached. */
  learn: (append: readonly Recorded[], events: readonly Recorded[]) => void
  /** Drops all cached contacts. */
  clear: () => void
}>

const MAX_BYTES = 4 * 1024 * 1024
export function createContactsAsOf(log: StreamReader): ContactsAsOf {
  const known = new LRUCache<string, ContactAsOf>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ state }) => roughBytes(state.details),
    ttl: MAX_AGE_MS,
    ttlResolution: 0,
  })
  let cleared = 0

  return {
    after: async (append) => {
      const before = cleared
      const { stream } = append[0]!
      const until = append.at(-1)!.revision
      const cached = known.get(stream)
      const base = cached !== undefined && cached.revision <= until ? cached : contactBefore
      const events = await eventsBetween(log, base.revision, append)
      const contact = events.reduce(contactAfter, base)
      if (cleared === before && contact.revision > (known.peek(stream)?.revision ?? -1)) known.set(stream, contact)
      return contact
    },
    cachedUpTo: (stream) => known.get(stream)?.revision ?? -1,
    learn: (append, events) => {
      const { stream, revision } = append.at(-1)!
      const base = known.peek(stream) ?? contactBefore
      if ((events[0]?.revision ?? 0) > base.revision + 1) return
      const later = (events as readonly Recorded<ContactEvent>[]).filter(
        (event) => event.revision > base.revision && event.revision <= revision,
      )
      if (later.length > 0) known.set(stream, later.reduce(contactAfter, base))
    },
    clear: () => {
      cleared++
      known.clear()
    },
  }
}

/** The stream behind `revision`, up to the end of the append. A creation append needs no earlier history. */
const eventsBetween = async (
  log: StreamReader,
  revision: number,
  append: readonly Recorded[],
): Promise<readonly Recorded<ContactEvent>[]> => {
  const until = append.at(-1)!.revision
  const isNext = append[0]!.revision === revision + 1 && until - revision === append.length
  if (isNext || append[0]!.revision === 0) return (append as readonly Recorded<ContactEvent>[]).filter((event) => event.revision > revision)
  if (until <= revision) return []
  const { stream, meta } = append[0]!
  return await log.readStream<ContactEvent>(meta.workspaceId, stream, { from: revision + 1, limit: until - revision })
}
