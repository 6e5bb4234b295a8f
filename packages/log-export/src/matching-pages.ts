import type { Batch, EventMatch, EventStore, Position } from '@tidings/event-store'
import { isMatch } from './selection.ts'

type Store = Pick<EventStore, 'readAll' | 'readMatching'>

export type Asked = Readonly<{ after: Position | 'start'; limit: number; match: EventMatch }>

/** The events that match, page by page to the end of the log. The store is asked for the next page as soon as it has answered. */
export async function* matchingPages(store: Store, { after, limit, match }: Asked): AsyncGenerator<Batch, void, undefined> {
  const read = (from: Position | 'start'): Promise<Batch> => {
    const page = readMatching(store, { after: from, limit, match })
    page.catch(() => undefined) // awaited in the next round, if there is one
    return page
  }
  let reading: Promise<Batch> | null = read(after)
  while (reading !== null) {
    const page: Batch = await reading
    reading = page.caughtUp ? null : read(page.to)
    yield page
  }
}

const readMatching = async (store: Store, { after, limit, match }: Asked): Promise<Batch> => {
  if (Object.keys(match).length > 0 && store.readMatching !== undefined) return store.readMatching(after, limit, match)
  const page = await store.readAll(after, limit)
  return { ...page, events: page.events.filter((event) => isMatch(event, match)) }
}
