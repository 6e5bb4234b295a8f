import type { Batch, EventMatch, EventStore, Position, StreamBatch, StreamMatch, StreamRevision } from '@tidings/event-store'
import type { DecodeOptions, Decoder } from './decode.ts'
import { decodeBatch } from './decode-batch.ts'
import type { EventLog, StreamReads, TypeFilter } from './event-log.ts'

type Filter = Readonly<{ [Name in keyof TypeFilter]: TypeFilter[Name] | undefined }>

const setOf = (types: readonly string[] | undefined): ReadonlySet<string> | undefined => (types ? new Set(types) : undefined)

/** A filter as the decoder takes it. */
export function optionsOf({ types, personal, workspaceId }: Filter = {}): DecodeOptions {
  return { types: setOf(types), personal: setOf(personal), workspaceId }
}

/** The log's `readAll`. */
export function createReadAll(store: EventStore, decode: Decoder): EventLog['readAll'] {
  return async (after, limit, filter) => {
    const { part, failure } = await decodeBatch(decode, await store.readAll(after, limit), optionsOf(filter))
    if (!part) throw failure
    return part
  }
}

type Pages = Readonly<{ store: EventStore; decode: Decoder; knownTypes: readonly string[] }>

/** A store that can leaves out the events of types that are known and not asked for; one of an unknown type comes, and stops the reader. */
const readerOf = ({ store, knownTypes }: Pages, limit: number, { types }: TypeFilter) => {
  const { readMatching } = store
  if (readMatching === undefined || types === undefined) return (from: Position | 'start') => store.readAll(from, limit)
  const match: EventMatch = { types, knownTypes }
  return (from: Position | 'start') => readMatching(from, limit, match)
}

/** Each next page is on its way while one is worked on. `cursorBehind`: where a page ends; null behind the last. */
async function* readAhead<Cursor, Page>(
  start: Cursor,
  readFrom: (cursor: Cursor) => Promise<Page>,
  cursorBehind: (page: Page) => Cursor | null,
): AsyncGenerator<Page, void, undefined> {
  const read = (from: Cursor): Promise<Page> => {
    const page = readFrom(from)
    page.catch(() => undefined) // awaited in the next round, if there is one
    return page
  }
  for (let reading: Promise<Page> | null = read(start); reading !== null; ) {
    const page: Page = await reading
    const cursor = cursorBehind(page)
    reading = cursor === null ? null : read(cursor)
    yield page
  }
}

/** The log's `pages`. */
export function createPages(parts: Pages): EventLog['pages'] {
  const { decode } = parts
  return async function* (after, limit, filter = {}) {
    const options = optionsOf(filter)
    const cursorBehind = ({ to, caughtUp }: Batch) => (caughtUp ? null : to)
    for await (const page of readAhead<Position | 'start', Batch>(after, readerOf(parts, limit, filter), cursorBehind)) {
      const { part, failure } = await decodeBatch(decode, page, options)
      if (part) yield part
      if (failure) throw failure
    }
  }
}

/** The log's `byStream`. */
export function createStreamReads({ store, decode, knownTypes }: Pages): EventLog['byStream'] {
  const { byStream } = store
  if (byStream === undefined) return undefined
  const pages: StreamReads['pages'] = async function* (range, limit, { upTo, ...filter }) {
    const options = optionsOf(filter)
    const match: StreamMatch = { types: filter.types, knownTypes, upTo }
    const readFrom = (cursor: StreamRevision | null) => byStream.read(range, cursor, limit, match)
    for await (const { events: stored } of readAhead<StreamRevision | null, StreamBatch>(null, readFrom, ({ next }) => next)) {
      const { events, failure } = await decode(stored, options)
      yield events
      if (failure) throw failure
    }
  }
  return { ranges: byStream.ranges, pages }
}
