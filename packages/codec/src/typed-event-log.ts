import type { EventDeclarations } from '@tidings/domain'
import type { EventStore, ReadStreamOptions } from '@tidings/event-store'
import { createAppender, createGroupAppender } from './append.ts'
import { createDecoder, type Decoder } from './decode.ts'
import { decodeBatchPatiently } from './decode-batch.ts'
import { ForeignEvent } from './errors.ts'
import type { EventLog, Recorded } from './event-log.ts'
import type { KeyRing } from './keys/key-ring.ts'
import { createMemo, type MemoLimits } from './memo.ts'
import { hasEventsIn } from './own-events.ts'
import { optionsOf, readingAll, readingPages } from './pages.ts'
import { type Upcaster, upcastPaths } from './upcast/upcast.ts'

/**
 * The `upcasters` must lead every declared type from version 1 to today's; a gap is an error here, at start.
 * `subjectStream`: the stream with the first event about a subject, null where there can be none. Without it nothing notices that a
 * subject with events has lost its key before another is made.
 */
export type EventLogOptions = Readonly<{
  store: EventStore
  declarations: EventDeclarations
  upcasters: readonly Upcaster[]
  keyRing: KeyRing
  subjectStream?: (workspaceId: string, subject: string) => string | null
  memo?: MemoLimits
}>

/** Half a second of the busiest log, 24 MB of emails with 2 KB of html; an idle process has dropped it after 8 s. */
const MEMO: MemoLimits = { maxEvents: 8_192, maxBytes: 24 * 1_048_576, maxAgeMs: 4_000 }

const subscribing = (store: EventStore, decode: Decoder): EventLog['subscribe'] =>
  async function* ({ types, personal, ...options }) {
    const wanted = optionsOf({ types, personal })
    for await (const batch of store.subscribe(options)) {
      // Only at the end of the log do other readers of this process ask for the same events at about the same time.
      const decoded = await decodeBatchPatiently(decode, batch, { ...wanted, remember: batch.caughtUp, signal: options.signal })
      if (!decoded) return
      if (decoded.part) yield decoded.part
      if (decoded.failure) throw decoded.failure
    }
  }

// The cast is the edge between a log that holds every event and the reader of one stream, who knows which ones it holds.
const readingStream = (store: EventStore, decode: Decoder): EventLog['readStream'] =>
  async function readStream<E extends Readonly<{ type: string; data: unknown }>>(
    workspaceId: string,
    stream: string,
    options?: ReadStreamOptions,
  ) {
    const { events, failure } = await decode(await store.readStream(stream, options))
    if (events.some(({ meta }) => meta.workspaceId !== workspaceId)) throw new ForeignEvent(stream)
    if (failure) throw failure
    return events as readonly Recorded<E>[]
  }

/** The event log over a store: encrypted, upcast and typed. `close` closes the store. */
export const createEventLog = (options: EventLogOptions): EventLog => {
  const { store, declarations, keyRing } = options
  const paths = upcastPaths(declarations, options.upcasters)
  const memo = createMemo(options.memo ?? MEMO)
  keyRing.onForget(memo.clear)
  if (options.subjectStream) keyRing.beforeNewKey(hasEventsIn(store, options.subjectStream))
  const decode = createDecoder({ paths, keyRing, memo })
  return {
    append: createAppender({ store, declarations, keyRing, memo }),
    appendTogether: createGroupAppender({ store, declarations, keyRing, memo }),
    readStream: readingStream(store, decode),
    readAll: readingAll(store, decode),
    pages: readingPages(store, decode),
    subscribe: subscribing(store, decode),
    decode: async (events, filter) => {
      await store.confirm()
      return await decode(events, optionsOf(filter))
    },
    head: () => store.head(),
    confirm: () => store.confirm(),
    close: () => store.close(),
  }
}
