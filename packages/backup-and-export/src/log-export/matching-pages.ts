import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Batch, BytesBatch, EventMatch, EventStore, Position } from '@tidings/event-store'
import { isMatch } from './selection.ts'

type Store = Pick<EventStore, 'readAll' | 'readMatching' | 'readBytes'>

export type MatchingRequest = Readonly<{ after: Position | 'start'; limit: number; match: EventMatch }>

/** The events that match, page by page to the end of the log. */
export function matchingPages(store: Store, asked: MatchingRequest): AsyncGenerator<Batch, void, undefined> {
  return pagesOf((after) => readMatching(store, { ...asked, after }), asked.after)
}

/** The same with the bytes of their texts, which last until the next page is asked for. */
export async function* matchingBytes(store: Store, asked: MatchingRequest): AsyncGenerator<BytesBatch, void, undefined> {
  for await (const page of pagesOf((after) => readBytes(store, { ...asked, after }), asked.after)) {
    yield page
    page.release()
  }
}

/** The store is asked for the next page as soon as it has answered. */
async function* pagesOf<Page extends Readonly<{ to: Position; caughtUp: boolean }>>(
  readBehind: (after: Position | 'start') => Promise<Page>,
  after: Position | 'start',
): AsyncGenerator<Page, void, undefined> {
  const read = (from: Position | 'start'): Promise<Page> => {
    const page = readBehind(from)
    page.catch(() => undefined) // awaited in the next round, if there is one
    return page
  }
  let reading: Promise<Page> | null = read(after)
  while (reading !== null) {
    const page: Page = await reading
    reading = page.caughtUp ? null : read(page.to)
    // The next page is not asked for until then: a pool gives its connections in later turns of the event loop.
    await yieldToEventLoop()
    yield page
  }
}

const readMatching = async (store: Store, { after, limit, match }: MatchingRequest): Promise<Batch> => {
  if (Object.keys(match).length > 0 && store.readMatching !== undefined) return store.readMatching(after, limit, match)
  const page = await store.readAll(after, limit)
  return { ...page, events: page.events.filter((event) => isMatch(event, match)) }
}

const readBytes = async (store: Store, asked: MatchingRequest): Promise<BytesBatch> => {
  if (store.readBytes !== undefined) return store.readBytes(asked.after, asked.limit, asked.match)
  const page = await readMatching(store, asked)
  const events = page.events.map((event) => ({ ...event, data: Buffer.from(event.data), meta: Buffer.from(event.meta) }))
  return { ...page, events, release: () => undefined }
}
