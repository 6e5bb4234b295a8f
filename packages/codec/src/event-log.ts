import type { Appended, ExpectedRevision, Position, ReadStreamOptions, SubscribeOptions } from '@tidings/event-store'

/** Stands beside every event in the log, in clear. `requestId` is the correlation, `actor` who asked (`key:<id>`, `operator`, `pipeline`, …). */
export type EventMeta = Readonly<{
  workspaceId: string
  actor: string
  requestId: string
  causationId?: string
  schemaVersion: number
  at: string
}>

type AnyEvent = Readonly<{ type: string; data: unknown }>

/**
 * An event as it was read: decrypted, upcast to today's shape.
 * `erased` is true where the subject's key is gone; then every personal field of `data` is null.
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
  }>

/** Ids of the events are derived from `commandId`, the stream and their number: the same command appended twice is one append. */
export type AppendContext = Readonly<{
  commandId: string
  workspaceId: string
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

/** The event store with typed, decrypted events: what everything above the adapters uses. */
export type EventLog = Readonly<{
  append: (stream: string, expected: ExpectedRevision, events: readonly AnyEvent[], context: AppendContext) => Promise<Appended>
  readStream: <E extends AnyEvent>(stream: string, options?: ReadStreamOptions) => Promise<readonly Recorded<E>[]>
  readAll: (after: Position | 'start', limit: number) => Promise<DecodedBatch>
  subscribe: (options: SubscribeOptions) => AsyncIterable<DecodedBatch>
  head: () => Promise<Position>
  close: () => Promise<void>
}>
