/**
 * A position in the whole log: two numbers compared as a row, opaque to everyone but the adapter.
 * Postgres: `(position, 0)`, dense. EventStoreDB: `(commit, prepare)`, with gaps.
 */
export type Position = Readonly<{ commit: bigint; prepare: bigint }>

export const START: Position = { commit: -1n, prepare: -1n }

/** Negative when `a` is before `b`, positive when it is after, 0 when they are the same. */
export function comparePositions(a: Position, b: Position): number {
  return a.commit !== b.commit ? (a.commit < b.commit ? -1 : 1) : a.prepare === b.prepare ? 0 : a.prepare < b.prepare ? -1 : 1
}

/** The one further on. */
export function laterPosition(a: Position, b: Position): Position {
  return comparePositions(a, b) >= 0 ? a : b
}

/** The revision of the stream's last event as the writer knows it (0 is the first event), or what else must hold. */
export type ExpectedRevision = number | 'no_stream' | 'any' | 'stream_exists'

/**
 * An event on its way in. `id` makes a repeated append recognisable; `data` and `meta` are JSON texts, stored exactly as written. `trace`: the trace that it
 * belongs to; kept beside the log for a while, no part of it (M69).
 */
export type EventToAppend = Readonly<{ id: string; type: string; data: string; meta: string; trace?: EventTrace }>

/** `traceparent` as W3C Trace Context has it. `ids`: what else can be asked for by, beside the event: its message. */
export type EventTrace = Readonly<{ traceparent: string; ids: readonly string[] }>

export type RecordedEvent = Omit<EventToAppend, 'trace'> &
  Readonly<{
    stream: string
    revision: number
    position: Position
    /** The time at which the store took it: ISO 8601, UTC, milliseconds; it never goes back along the log. */
    created: string
  }>

/** An event whose `data` and `meta` are the UTF-8 bytes of these texts. */
export type EventBytes = Omit<RecordedEvent, 'data' | 'meta'> & Readonly<{ data: Buffer; meta: Buffer }>

/** The events to append to one stream. */
export type Append = Readonly<{ stream: string; expected: ExpectedRevision; events: readonly EventToAppend[] }>

/** `revision` and `position` are those of the append's last event. */
export type Appended = Readonly<{ revision: number; position: Position; duplicate: boolean }>

/** `to` is the reader's position afterwards; it moves past events that a filter left out. */
export type Batch = Readonly<{ events: readonly RecordedEvent[]; to: Position; caughtUp: boolean }>

/** `release`: the bytes are needed no more, and their memory is used for another batch. It may be left out; a second call does nothing. */
export type BytesBatch = Omit<Batch, 'events'> & Readonly<{ events: readonly EventBytes[]; release: () => void }>

/** Whole streams: those whose names are `from` or greater, and smaller than `to`, byte by byte. */
export type StreamRange = Readonly<{ from: string; to: string }>

/** The position of a reader of streams, one after the other: behind this event. */
export type StreamRevision = Readonly<{ stream: string; revision: number }>

/** `upTo`: what the log has behind it does not come; the caller has seen the log until there. */
export type StreamMatch = Readonly<{ types: readonly string[]; knownTypes: readonly string[]; upTo: Position }>

/** Stream by stream, each in its order. `next`: where to go on; null when the range is through. A batch may be empty before that. */
export type StreamBatch = Readonly<{ events: readonly RecordedEvent[]; next: StreamRevision | null }>

/**
 * `ranges`: the streams of a category (their names begin with it and a hyphen) in at most `count` ranges, of about as many events each.
 * `read`: the events of a range's streams, at most `limit`; `types` and `knownTypes` as in `EventMatch`.
 */
export type ByStream = Readonly<{
  ranges: (category: string, count: number) => Promise<readonly StreamRange[]>
  read: (range: StreamRange, after: StreamRevision | null, limit: number, match: StreamMatch) => Promise<StreamBatch>
}>

/** What a reader wants of the log; all of it must hold. The store compares texts and times, and knows no more of an event. */
export type EventMatch = Readonly<{
  types?: readonly string[]
  /** Events of types that are not among these come beside `types`, so that the reader meets what it does not know. */
  knownTypes?: readonly string[]
  /** The beginning of the text of the metadata. */
  metaStart?: string
  /** Stored then or later: ISO 8601, UTC, milliseconds. */
  since?: string
}>

export type ReadStreamOptions = Readonly<{
  from?: number
  direction?: 'forwards' | 'backwards'
  limit?: number
  /** What limits and deletion hide comes too, where the store still has it: a server that removes such events cannot give them. */
  pastLimits?: boolean
}>

export type SubscribeOptions = Readonly<{
  /** Exclusive: the first event delivered is the one after it. */
  from: Position | 'start' | 'end'
  signal: AbortSignal
  /** Upper bound of one batch, in events; none waits until it is full. Default 2 000. */
  maxBatch?: number
}>

/**
 * The log. Every adapter passes `contract/`.
 * An `append` that rejects with `Unavailable` may have been stored: repeat it with the same event ids.
 */
export type EventStore = Readonly<{
  append: (stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]) => Promise<Appended>
  /**
   * All of the appends or none: each to a stream of its own, each with at least one event. Rejects as the first that may not be written;
   * with `EventIdConflict` also where some of them are repetitions and others are not. Not every store has it.
   */
  appendTogether?: (appends: readonly Append[]) => Promise<readonly Appended[]>
  /** A missing stream reads as no events. */
  readStream: (stream: string, options?: ReadStreamOptions) => Promise<readonly RecordedEvent[]>
  /** Events after `after`, in log order; at most `limit`. */
  readAll: (after: Position | 'start', limit: number) => Promise<Batch>
  /**
   * As `readAll`, without the events that do not match: they never leave the store, and `to` moves past them; a batch may be empty before
   * the end of the log. Not every store has it.
   */
  readMatching?: (after: Position | 'start', limit: number, match: EventMatch) => Promise<Batch>
  /**
   * As `readMatching`, for a reader that copies or hashes the texts: it takes half of the CPU an event for pages of a thousand events. Not
   * every store has it.
   */
  readBytes?: (after: Position | 'start', limit: number, match: EventMatch) => Promise<BytesBatch>
  /** Reading one stream after the other. Only of a store that can. */
  byStream?: ByStream
  /** The position so many events further on. Only of a store whose positions are dense: its log can be read by ranges, several at once. */
  advance?: (from: Position, events: number) => Position
  /**
   * Ends only by its signal (or the store's `close`); drops of the connection are healed inside and never repeat or lose an event.
   * An idle subscription yields an empty batch, `caughtUp`, at least every 500 ms while the log is reachable: silence means that
   * its state is unknown. From `'end'` the first batch is empty and says where that is; events after it are delivered.
   */
  subscribe: (options: SubscribeOptions) => AsyncIterable<Batch>
  /** The end of the log now: the position of its last event, or START. */
  head: () => Promise<Position>
  /**
   * Resolves when the log still holds every event that this process has seen; rejects with `LogWentBack` when it does not, and with
   * `Unavailable` when the log does not answer. Makes no call while a subscription of this process is connected. Every other call checks
   * the same before it returns.
   */
  confirm: () => Promise<void>
  /** Hides the events so far from readStream; a later append continues the numbering. */
  deleteStream: (stream: string, expected: ExpectedRevision) => Promise<void>
  /** Refuses the stream permanently, to readers and writers. */
  tombstoneStream: (stream: string, expected: ExpectedRevision) => Promise<void>
  setStreamLimits: (stream: string, limits: StreamLimits) => Promise<void>
  close: () => Promise<void>
}>

export type StreamLimits = Readonly<{ truncateBefore?: number; maxCount?: number; maxAgeSeconds?: number }>

/** Seconds since something was stored: an ISO time, or milliseconds since 1970. Never negative, whatever the clocks of two machines say. */
export function secondsSince(storedAt: string | number): number {
  return Math.max(0, (Date.now() - (typeof storedAt === 'string' ? Date.parse(storedAt) : storedAt)) / 1_000)
}

/** How far behind the log its reader is after this batch, in seconds: the age of the last event, 0 when caught up. */
export function lagSecondsAfter({
  events,
  caughtUp,
}: Readonly<{ caughtUp: boolean; events: readonly Readonly<{ created: string }>[] }>): number {
  const last = events.at(-1)
  return caughtUp || last === undefined ? 0 : secondsSince(last.created)
}

const DIGITS = 20
/** The largest position of both stores. */
const LARGEST = 2n ** 63n - 1n
const TEXT = /^(\d{1,20})(?:-(\d{1,20}))?$/

const padded = (part: bigint): string => String(part).padStart(DIGITS, '0')

/** A position as people and scripts get it: texts sort as their positions do. Zeros are the place before the first event. */
export function positionText(position: Position): string {
  const { commit, prepare } = position
  if (commit < 0n) return padded(0n)
  return prepare === 0n ? padded(commit) : `${padded(commit)}-${padded(prepare)}`
}

/** The position that `positionText` wrote, or that a person did, without the leading zeros; null for any other text. */
export function parsePosition(text: string): Position | null {
  const [, commit, prepare = '0'] = TEXT.exec(text) ?? []
  if (commit === undefined) return null
  const position = { commit: BigInt(commit), prepare: BigInt(prepare) }
  if (position.commit > LARGEST || position.prepare > LARGEST) return null
  return position.commit === 0n && position.prepare === 0n ? START : position
}
