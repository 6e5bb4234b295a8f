import type { Batch, EventStore, Position } from '@tidings/event-store'
import type { DecodeOptions, Decoder } from './decode.ts'
import { decodeBatch } from './decode-batch.ts'
import type { EventLog, TypeFilter } from './event-log.ts'

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

/** The log's `pages`: the store is asked for the next one as soon as it has answered, so that it works while this process decodes. */
export function createPages(store: EventStore, decode: Decoder): EventLog['pages'] {
  return async function* (after, limit, filter) {
    const options = optionsOf(filter)
    const read = (from: Position | 'start'): Promise<Batch> => {
      const page = store.readAll(from, limit)
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
