import type { EventDeclarations } from '@tidings/domain'
import type { Append, Appended, EventStore } from '@tidings/event-store'
import { type Encoded, encode, type Place, type Prepared, prepare } from './encode.ts'
import type { Draft, EventLog } from './event-log.ts'
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

/** The texts of one append; `remember` and `forget` are what this process has of them in clear. */
type Ready = Append & Readonly<{ remember: () => void; forget: () => void }>

/**
 * What is written is remembered before the store has it, because readers may hear of it before the writer does; what the store did not
 * take, or already had with other texts, is forgotten again.
 */
const readying =
  ({ declarations, keyRing, memo }: Parts) =>
  async ({ stream, expected, events, context }: Draft): Promise<Ready> => {
    const placeOf = placesOf(stream, events.length, context)
    const prepared = events.map((event) => prepare(declarations, stream, event))
    const encoded = await encodeAll(keyRing, prepared, placeOf)
    return {
      stream,
      expected,
      events: encoded.map(({ stored }) => stored),
      remember: () => {
        for (const { stored, decoded, faithful } of encoded) if (faithful) memo.set(stored, decoded)
      },
      forget: () => {
        for (const { stored } of encoded) memo.delete(stored.id)
      },
    }
  }

/** Writes what is ready; `write` answers for each. */
const written = async <const Results extends readonly Appended[]>(
  appends: readonly Ready[],
  write: () => Promise<Results>,
): Promise<Results> => {
  for (const append of appends) append.remember()
  try {
    const results = await write()
    for (const [n, append] of appends.entries()) if (results[n]?.duplicate) append.forget()
    return results
  } catch (error) {
    for (const append of appends) append.forget()
    throw error
  }
}

/** The log's `append`. */
export const createAppender = (parts: Parts): EventLog['append'] => {
  const ready = readying(parts)
  return async (stream, expected, events, context) => {
    const append = await ready({ stream, expected, events, context })
    const [appended] = await written([append], async () => [await parts.store.append(stream, expected, append.events)])
    return appended
  }
}

/** The log's `appendTogether`; undefined where the store has none. */
export const createGroupAppender = (parts: Parts): EventLog['appendTogether'] => {
  const { appendTogether } = parts.store
  if (appendTogether === undefined) return undefined
  const ready = readying(parts)
  return async (drafts) => {
    const appends = await Promise.all(drafts.map(ready))
    const together = appends.map(({ stream, expected, events }) => ({ stream, expected, events }))
    return await written(appends, () => appendTogether(together))
  }
}
