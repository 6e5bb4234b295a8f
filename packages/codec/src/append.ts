import type { EventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { type Encoded, encode, type Place, type Prepared, prepare } from './encode.ts'
import type { EventLog } from './event-log.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { Memo } from './memo.ts'
import { placesOf } from './places.ts'

type Parts = Readonly<{ store: EventStore; declarations: EventDeclarations; keyRing: KeyRing; memo: Memo }>

const encodeAll = async (keyRing: KeyRing, events: readonly Prepared[], placeOf: (n: number) => Place): Promise<readonly Encoded[]> => {
  const encoded: Encoded[] = []
  for (const [n, event] of events.entries()) {
    const place = placeOf(n)
    const { workspaceId } = place.context
    const key = event.subject === null ? null : keyRing.cached(workspaceId, event.subject)?.[0]
    // The events of an append are mostly about one person: waiting for one key after the other costs nothing.
    encoded.push(encode(event, key === undefined ? await keyRing.keyFor(workspaceId, event.subject ?? '') : key, place))
  }
  return encoded
}

/**
 * The log's `append`. What it writes is in the memo before the store has it, because readers may hear of it before the writer does;
 * what the store did not take, or already had with other texts, is taken out again.
 */
export const createAppender = ({ store, declarations, keyRing, memo }: Parts): EventLog['append'] => {
  const forget = (events: readonly Encoded[]): void => {
    for (const { stored } of events) memo.delete(stored.id)
  }
  return async (stream, expected, events, context) => {
    const placeOf = placesOf(stream, events.length, context)
    const prepared = events.map((event) => prepare(declarations, stream, event))
    const encoded = await encodeAll(keyRing, prepared, placeOf)
    for (const { stored, decoded, faithful } of encoded) if (faithful) memo.set(stored, decoded)
    try {
      const appended = await store.append(
        stream,
        expected,
        encoded.map(({ stored }) => stored),
      )
      if (appended.duplicate) forget(encoded)
      return appended
    } catch (error) {
      forget(encoded)
      throw error
    }
  }
}
