import { DETAIL_KINDS, type DetailKind, type EventDeclarations, type WorkspaceId } from '@tidings/domain'
import type { EventStore, ReadStreamOptions } from '@tidings/event-store'
import { createAppender, createGroupAppender } from './append.ts'
import { createDecoder, type Decoder } from './decode.ts'
import { decodeBatchWithRetry } from './decode-batch.ts'
import { ForeignEvent } from './errors.ts'
import type { EventLog, Recorded } from './event-log.ts'
import type { HasEvents, KeyRing } from './keys/key-ring.ts'
import { createMemo, type MemoLimits } from './memo.ts'
import { createPages, createReadAll, createStreamReads, optionsOf } from './pages.ts'
import { parse } from './parse.ts'
import { type Upcaster, upcastPaths } from './upcast/upcast.ts'

/**
 * The `upcasters` must lead every declared type from version 1 to today's; a gap is an error here, at start.
 * `ending`: the details that get a key of their week, so that they can end before their person does; by default all, for 45 µs an email.
 * `subjectStream`: the stream with the first event about a subject, null where there can be none. Without it, a subject whose key is lost
 * would get another one unnoticed.
 */
export type EventLogOptions = Readonly<{
  store: EventStore
  declarations: EventDeclarations
  upcasters: readonly Upcaster[]
  keyRing: KeyRing
  ending?: readonly DetailKind[]
  subjectStream?: (workspaceId: WorkspaceId, subject: string) => string | null
  memo?: MemoLimits
}>

/** Half a second of the busiest log, 24 MB of emails with 2 KB of html; an idle process has dropped it after 8 s. */
const MEMO: MemoLimits = { maxEvents: 8_192, maxBytes: 24 * 1_048_576, maxAgeMs: 4_000 }

const createSubscribe = (store: EventStore, decode: Decoder): EventLog['subscribe'] =>
  async function* ({ types, personal, workspaceId, ...options }) {
    const wanted = optionsOf({ types, personal, workspaceId })
    for await (const batch of store.subscribe(options)) {
      // Other readers of this process ask for the same events at about the same time only at the end of the log.
      const decoded = await decodeBatchWithRetry(decode, batch, { ...wanted, remember: batch.caughtUp, signal: options.signal })
      if (!decoded) return
      if (decoded.part) yield decoded.part
      if (decoded.failure) throw decoded.failure
    }
  }

// The cast is the edge between a log that holds every event and the reader of one stream, which knows the types it holds.
const createReadStream = (store: EventStore, decode: Decoder): EventLog['readStream'] =>
  async function readStream<E extends Readonly<{ type: string; data: unknown }>>(
    workspaceId: WorkspaceId,
    stream: string,
    options?: ReadStreamOptions,
  ) {
    const { events, failure } = await decode(await store.readStream(stream, options))
    if (events.some(({ meta }) => meta.workspaceId !== workspaceId)) throw new ForeignEvent(stream)
    if (failure) throw failure
    return events as readonly Recorded<E>[]
  }

/** Whether a subject's own stream holds anything that is sealed about it. Read only before a key is made: once a subject. */
const hasEventsIn =
  (store: EventStore, streamOf: NonNullable<EventLogOptions['subjectStream']>): HasEvents =>
  async ({ workspaceId, subject }) => {
    const stream = streamOf(workspaceId, subject)
    if (stream === null) return false
    const events = await store.readStream(stream)
    return events.some((event) => parse(event).sealed?.s === subject)
  }

/** The event log over a store: encrypted, upcast and typed. `close` closes the store. */
export function createEventLog(options: EventLogOptions): EventLog {
  const { store, declarations, keyRing } = options
  const paths = upcastPaths(declarations, options.upcasters)
  const written = endingOnly(declarations, options.ending ?? DETAIL_KINDS)
  const memo = createMemo(options.memo ?? MEMO)
  keyRing.onForget(memo.clear)
  if (options.subjectStream) keyRing.beforeNewKey(hasEventsIn(store, options.subjectStream))
  const decode = createDecoder({ paths, keyRing, memo })
  const reading = { store, decode, knownTypes: [...paths.keys()] }
  return {
    append: createAppender({ store, declarations: written, keyRing, memo }),
    appendTogether: createGroupAppender({ store, declarations: written, keyRing, memo }),
    readStream: createReadStream(store, decode),
    readAll: createReadAll(store, decode),
    pages: createPages(reading),
    byStream: createStreamReads(reading),
    subscribe: createSubscribe(store, decode),
    decode: (events, filter) => decode(events, optionsOf(filter)),
    head: () => store.head(),
    confirm: () => store.confirm(),
    close: () => store.close(),
  }
}

/** The declarations as they are where only details of these kinds end. */
function endingOnly(declarations: EventDeclarations, kinds: readonly DetailKind[]): EventDeclarations {
  const entries = Object.entries(declarations).map(([type, declaration]) => {
    const { personal } = declaration
    if (personal?.ending === undefined) return [type, declaration] as const
    const { ending: all, ...others } = personal
    const left = kinds.flatMap((kind) => (all[kind] ? [[kind, all[kind]] as const] : []))
    return [type, { ...declaration, personal: left.length === 0 ? others : { ...others, ending: Object.fromEntries(left) } }] as const
  })
  return Object.fromEntries(entries)
}
