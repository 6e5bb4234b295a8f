import type { Batch, EventMatch, EventStore, Position } from '@tidings/event-store'
import type { DecodeOptions, Decoder } from './decode.ts'
import { decodeBatch } from './decode-batch.ts'
import type { EventLog, PageFilter, TypeFilter } from './event-log.ts'

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
const readerOf = ({ store, knownTypes }: Pages, limit: number, { types, part }: PageFilter) => {
  const { readMatching } = store
  if (part !== undefined && readMatching === undefined) throw new Error('this store cannot read some of the streams')
  if (readMatching === undefined || (types === undefined && part === undefined))
    return (from: Position | 'start') => store.readAll(from, limit)
  const match: EventMatch = { ...(types && { types, knownTypes }), ...(part && { part }) }
  return (from: Position | 'start') => readMatching(from, limit, match)
}

/** The log's `pages`: the store is asked for the next one as soon as it has answered, so that it works while this process decodes. */
export function createPages(parts: Pages): EventLog['pages'] {
  const { decode } = parts
  return async function* (after, limit, filter = {}) {
    const options = optionsOf(filter)
    const readPage = readerOf(parts, limit, filter)
    const read = (from: Position | 'start'): Promise<Batch> => {
      const page = readPage(from)
      page.catch(() => undefined) // awaited in the next round, if there is one
      return page
    }
    let reading: Promise<Batch> | null = read(after)
    while (reading !== null) {
      const page: Batch = await reading
      reading = page.caughtUp ? null : read(page.to)
      const { part, failure } = await decodeBatch(decode, page, options)
      if (part) yield part
      if (failure) throw failure
    }
  }
}
