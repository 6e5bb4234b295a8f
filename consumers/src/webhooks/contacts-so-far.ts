import type { EventLog, Recorded } from '@tidings/codec'
import { type ContactEvent, type ContactState, evolveContact, unknownContact } from '@tidings/domain'
import { LRUCache } from 'lru-cache'
import { MAX_AGE_MS, roughBytes } from './keeping.ts'

/** A contact up to one of its events. `erased`: the log no longer shows all of it. */
export type ContactSoFar = Readonly<{ state: ContactState; revision: number; createdAt: string | undefined; erased: boolean }>

export type ContactsSoFar = Readonly<{
  /** The contact after the append, as its stream tells it: of the stream only what came after what was asked last is read. */
  after: (append: readonly Recorded[]) => Promise<ContactSoFar>
  /** Forgets everybody. */
  clear: () => void
}>

const MAX_BYTES = 4 * 1024 * 1024
const NOTHING: ContactSoFar = { state: unknownContact, revision: -1, createdAt: undefined, erased: false }

const withEvent = (contact: ContactSoFar, event: Recorded<ContactEvent>): ContactSoFar => ({
  state: evolveContact(contact.state, event),
  revision: event.revision,
  createdAt: contact.createdAt ?? event.meta.at,
  erased: contact.erased || event.erased,
})

export const contactsSoFar = (log: Pick<EventLog, 'readStream'>): ContactsSoFar => {
  const known = new LRUCache<string, ContactSoFar>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ state }) => roughBytes(state.details),
    ttl: MAX_AGE_MS,
  })
  let cleared = 0

  return {
    after: async (append) => {
      const before = cleared
      const { stream } = append[0]!
      const until = append.at(-1)!.revision
      const kept = known.get(stream)
      const base = kept !== undefined && kept.revision <= until ? kept : NOTHING
      const events = await eventsBetween(log, base.revision, append)
      const contact = events.reduce(withEvent, base)
      if (cleared === before && contact.revision > (known.peek(stream)?.revision ?? -1)) known.set(stream, contact)
      return contact
    },
    clear: () => {
      cleared++
      known.clear()
    },
  }
}

/** What the stream has behind `revision`, up to the end of the append; the append itself where that is all. Of a contact's birth it always is. */
const eventsBetween = async (
  log: Pick<EventLog, 'readStream'>,
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
