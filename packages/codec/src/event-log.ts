import type { DetailKind, WorkspaceId } from '@tidings/domain'
import type {
  Appended,
  ByStream,
  ExpectedRevision,
  Position,
  ReadStreamOptions,
  RecordedEvent,
  StreamRange,
  SubscribeOptions,
} from '@tidings/event-store'
import type { TraceContext } from '@tidings/observability/traces'

/**
 * Stored with every event, in clear. `requestId` is the correlation, `actor` who asked (`key:<id>`, `operator`, `pipeline`, …).
 * `causationId` is the event that it follows from; or the command, where the caller chose the `requestId` and may choose it again.
 */
export type EventMeta = Readonly<{
  workspaceId: WorkspaceId
  actor: string
  requestId: string
  causationId?: string
  schemaVersion: number
  at: string
}>

type AnyEvent = Readonly<{ type: string; data: unknown }>

/**
 * An event as it was read: decrypted, upcast to today's shape.
 * `erased` is true where the subject's key is gone; then every personal field of `data` is null. `ended`: the kinds of details that it held
 * and that its workspace's retention has ended, or whose key is lost; their fields are null. Absent where nothing has.
 */
export type Recorded<E extends AnyEvent = AnyEvent> = E &
  Readonly<{
    id: string
    stream: string
    revision: number
    position: Position
    created: string
    meta: EventMeta
    erased: boolean
    ended?: readonly DetailKind[]
  }>

/**
 * Ids of the events are derived from `commandId`, the stream and their number: the same command appended twice is one append. `trace`: the trace that the
 * command belongs to; no part of what is stored (M69).
 */
export type AppendContext = Readonly<{
  trace?: TraceContext
  commandId: string
  workspaceId: WorkspaceId
  actor: string
  requestId: string
  causationId?: string
  at: string
}>

export type DecodedBatch<E extends AnyEvent = AnyEvent> = Readonly<{
  events: readonly Recorded<E>[]
  to: Position
  caughtUp: boolean
}>

/**
 * `types`: deliver these only, and do not even decrypt the others. An unknown type stops the reader all the same.
 * `personal`: the types whose personal fields, or `erased`, the reader looks at (default: all); the others' are not decrypted, and what
 * it finds there is undefined.
 * `workspaceId`: deliver the events of this workspace only; nothing of the others is decrypted.
 */
export type TypeFilter = Readonly<{ types?: readonly string[]; personal?: readonly string[]; workspaceId?: WorkspaceId }>

/** `upTo`: what the log has behind it is left out. */
export type StreamFilter = TypeFilter & Readonly<{ types: readonly string[]; upTo: Position }>

/**
 * Reading one stream after the other. `ranges`: the store's. `pages`: the events of a range, each stream in its order, read ahead as
 * `pages` of the log are. A process that has seen less of the log than `upTo` has seen that much afterwards.
 */
export type StreamReads = Readonly<{
  ranges: ByStream['ranges']
  pages: (range: StreamRange, limit: number, filter: StreamFilter) => AsyncIterable<readonly Recorded[]>
}>

/** The events to append to one stream; `context` is one for all events, or one for each. */
export type Draft = Readonly<{
  stream: string
  expected: ExpectedRevision
  events: readonly AnyEvent[]
  context: AppendContext | readonly AppendContext[]
}>

/** `done` counts the stored events that are decoded or left out; `failure` is why the next one could not be decoded. */
export type DecodedEvents = Readonly<{ events: readonly Recorded[]; done: number; failure: Error | null }>

export type StreamReader = Readonly<{
  /** A stream of the workspace. Rejects with `ForeignEvent` where an event that was read is of another workspace. */
  readStream: <E extends AnyEvent>(workspaceId: WorkspaceId, stream: string, options?: ReadStreamOptions) => Promise<readonly Recorded<E>[]>
}>

/**
 * The event store with typed, decrypted events: what everything above the adapters uses.
 * Events are shared between readers: they must not be changed.
 *
 * `append` may reject, beside what the store says, with `InvalidAppend` (a string that Postgres cannot hold), `UnknownEventType`
 * and `SubjectErased`; then nothing was written. Readers reject with `UnknownEventType` and `CorruptEvent`, which name the position;
 * a reader that goes forwards gets the events before it first. Without the keys' database they reject with `Unavailable`; a subscription
 * waits.
 */
export type EventLog = StreamReader &
  Readonly<{
    append: (
      stream: string,
      expected: ExpectedRevision,
      events: readonly AnyEvent[],
      /** One for all events, or one for each, where several commands travel in one append. A command's events are numbered from 0. */
      context: AppendContext | readonly AppendContext[],
    ) => Promise<Appended>
    /** All of the drafts or none, as the store promises it; undefined where it cannot. Rejects as `append` does. */
    appendTogether?: ((drafts: readonly Draft[]) => Promise<readonly Appended[]>) | undefined
    readAll: (after: Position | 'start', limit: number, filter?: TypeFilter) => Promise<DecodedBatch>
    /** What `readAll` gives page by page up to the end of the log, with the next page on its way from the store while one is decoded. */
    pages: (after: Position | 'start', limit: number, filter?: TypeFilter) => AsyncIterable<DecodedBatch>
    /** Undefined where the store cannot. */
    byStream?: StreamReads | undefined
    subscribe: (options: SubscribeOptions & TypeFilter) => AsyncIterable<DecodedBatch>
    /**
     * Stored events as the log itself would give them. What came another way than from the store counts only after a `confirm`. `done` counts
     * those left out by the filter too.
     */
    decode: (events: readonly RecordedEvent[], filter?: TypeFilter) => Promise<DecodedEvents>
    head: () => Promise<Position>
    /** Call it before each effect outside: rejects where the log is not the one that was read (see the store's `confirm`). */
    confirm: () => Promise<void>
    close: () => Promise<void>
  }>
