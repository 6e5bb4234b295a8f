import { isPromise, type MaybePromise } from '@tidings/async'
import type { EventDeclarations } from '@tidings/domain'
import type { Append, Appended, EventStore, EventToAppend } from '@tidings/event-store'
import { traces } from '@tidings/observability/traces'
import { type Encoded, type EventKeys, encode, type Prepared, prepare, type StreamPosition } from './encode.ts'
import { keysOf } from './event-keys.ts'
import type { Draft, EventLog } from './event-log.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { Memo } from './memo.ts'
import { recordAppend } from './record-append.ts'
import { positionsOf } from './stream-positions.ts'

type AppenderDependencies = Readonly<{ store: EventStore; declarations: EventDeclarations; keyRing: KeyRing; memo: Memo }>

/** The texts of events, without a promise where every key is cached. */
const encodeAll = (
  keyRing: KeyRing,
  events: readonly Prepared[],
  positionOf: (n: number) => StreamPosition,
): MaybePromise<readonly Encoded[]> => {
  const encoded: Encoded[] = []
  const encodeRest = (): MaybePromise<readonly Encoded[]> => {
    for (let n = encoded.length; n < events.length; n++) {
      const [event, position] = [events[n]!, positionOf(n)]
      const keys = event.subject === null ? null : keysOf(keyRing, event, position.context)
      // The events of an append are mostly about one person: waiting for one key after the other costs nothing.
      if (isPromise(keys)) return keys.then((loaded) => encodeWith(event, loaded, position))
      encoded.push(encode(event, keys, position))
    }
    return encoded
  }
  const encodeWith = (event: Prepared, keys: EventKeys, position: StreamPosition): MaybePromise<readonly Encoded[]> => {
    encoded.push(encode(event, keys, position))
    return encodeRest()
  }
  return encodeRest()
}

/** The texts of one append; `remember` and `forget` put them into the memo in clear and drop them. */
type PreparedAppend = Append & Readonly<{ remember: () => void; forget: () => void }>

/**
 * An append is remembered before the store has it, because readers may get it before the writer's call returns. What the store rejected, or
 * already had with other texts, is forgotten again.
 */
const createPreparer = ({ declarations, keyRing, memo }: AppenderDependencies) => {
  const toAppend = ({ stream, expected }: Draft, encoded: readonly Encoded[], epoch: number): PreparedAppend => ({
    stream,
    expected,
    events: encoded.map(({ stored }) => stored),
    remember: () => {
      for (const { stored, decoded, faithful } of encoded) if (faithful) memo.set(stored, decoded, epoch)
    },
    forget: () => {
      for (const { stored } of encoded) memo.delete(stored.id)
    },
  })
  return (draft: Draft): MaybePromise<PreparedAppend> => {
    const { stream, events, context } = draft
    const prepared = events.map((event) => prepare(declarations, stream, event))
    const epoch = memo.epoch()
    const encoded = encodeAll(keyRing, prepared, positionsOf(stream, events.length, context))
    return isPromise(encoded) ? encoded.then((all) => toAppend(draft, all, epoch)) : toAppend(draft, encoded, epoch)
  }
}

/** Writes the prepared appends; `write` gives a result for each. */
const written = async <const Results extends readonly Appended[]>(
  appends: readonly PreparedAppend[],
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
export function createAppender(parts: AppenderDependencies): EventLog['append'] {
  const prepareAppend = createPreparer(parts)
  const write = (append: PreparedAppend, events: readonly EventToAppend[]) =>
    written([append], async () => [await parts.store.append(append.stream, append.expected, events)])
  return async (stream, expected, events, context) => {
    const prepared = prepareAppend({ stream, expected, events, context })
    const append = isPromise(prepared) ? await prepared : prepared
    const all = traces()
    const [appended] =
      all === null
        ? await write(append, append.events)
        : await recordAppend(all, { drafts: [{ stream, expected, events, context }], stored: [append.events] }, ([stored = []]) =>
            write(append, stored),
          )
    return appended
  }
}

/** The log's `appendTogether`; undefined where the store has none. */
export function createGroupAppender(parts: AppenderDependencies): EventLog['appendTogether'] {
  const { appendTogether } = parts.store
  if (appendTogether === undefined) return undefined
  const prepareAppend = createPreparer(parts)
  return async (drafts) => {
    // Each in a promise of its own: one that throws at once must not leave the rejection of another unhandled.
    const appends = await Promise.all(drafts.map(async (draft) => await prepareAppend(draft)))
    const write = (stored: readonly (readonly EventToAppend[])[]) => {
      const together = appends.map(({ stream, expected, events }, n) => ({ stream, expected, events: stored[n] ?? events }))
      return written(appends, () => appendTogether(together))
    }
    const all = traces()
    return all === null ? await write([]) : await recordAppend(all, { drafts, stored: appends.map(({ events }) => events) }, write)
  }
}
