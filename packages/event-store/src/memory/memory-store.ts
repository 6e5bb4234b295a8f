import { checkAppend, checkStreamCall, checkTogether } from '../append-rules.ts'
import { emptyAppend } from '../empty-append.ts'
import { EventIdConflict, StreamDeleted, Unavailable, WrongExpectedRevision } from '../errors.ts'
import {
  type Append,
  type Appended,
  type Batch,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
  START,
  type StreamBatch,
  type StreamMatch,
  type StreamRange,
  type StreamRevision,
} from '../port.ts'
import { createTail } from '../tail/tail.ts'
import type { WindowLimits } from '../tail/window.ts'
import { currentRevision, fits, judge, newStream, type StreamState, visible } from './stream-state.ts'

export type MemoryEventStoreOptions = Readonly<{
  /** Milliseconds since the epoch; the log never goes back even when it does. */
  now?: () => number
  window?: Partial<WindowLimits>
}>

const HEARTBEAT_MS = 250

/** The log in memory, for unit tests: the semantics of the Postgres adapter, gone with the process. */
export function memoryEventStore(options: MemoryEventStoreOptions = {}): EventStore {
  return new MemoryLog(options).store()
}

type ByStream = Readonly<{ range: StreamRange; after: StreamRevision | null; limit: number; match: StreamMatch }>

class MemoryLog {
  readonly #log: RecordedEvent[] = []
  readonly #streams = new Map<string, StreamState>()
  readonly #byId = new Map<string, RecordedEvent>()
  readonly #now: () => number
  readonly #tail
  #heartbeat: NodeJS.Timeout | undefined
  #closed = false

  constructor({ now = Date.now, window = {} }: MemoryEventStoreOptions) {
    this.#now = now
    this.#tail = createTail({ readAll: async (after, limit) => this.#readAll(after, limit), head: async () => this.#head(), window })
  }

  store(): EventStore {
    return {
      append: async (stream, expected, events) => this.#append(stream, expected, events),
      appendTogether: async (appends) => this.#appendTogether(appends),
      readStream: async (stream, read = {}) =>
        read.pastLimits === true
          ? visible({ ...newStream(), events: this.#streams.get(stream)?.events ?? [] }, read, this.#now())
          : visible(this.#readable(stream), read, this.#now()),
      readAll: async (after, limit) => this.#readAll(after, limit),
      byStream: {
        ranges: async (category) => [{ from: `${category}-`, to: `${category}.` }],
        read: async (range, after, limit, match) => this.#readByStream({ range, after, limit, match }),
      },
      head: async () => this.#head(),
      confirm: async () => undefined,
      subscribe: (subscription) => {
        this.#startTail()
        return this.#tail.subscribe(subscription)
      },
      deleteStream: async (stream, expected) => {
        const state = this.#deletable(stream, expected)
        state.deletedBefore = state.events.length
      },
      tombstoneStream: async (stream, expected) => {
        this.#deletable(stream, expected).tombstoned = true
      },
      setStreamLimits: async (stream, limits) => {
        checkStreamCall(stream, 'any')
        this.#stream(stream).limits = limits
      },
      close: async () => {
        this.#closed = true
        clearInterval(this.#heartbeat)
        this.#tail.close()
      },
    }
  }

  #stream(stream: string): StreamState {
    const state = this.#streams.get(stream) ?? newStream()
    this.#streams.set(stream, state)
    return state
  }

  #readable(stream: string): StreamState {
    const state = this.#streams.get(stream) ?? newStream()
    if (state.tombstoned) throw new StreamDeleted(`stream ${stream} is deleted`)
    return state
  }

  #deletable(stream: string, expected: ExpectedRevision): StreamState {
    checkStreamCall(stream, expected)
    const state = this.#stream(stream)
    if (state.tombstoned) throw new StreamDeleted(`stream ${stream} is deleted`)
    if (!fits(state, expected)) throw new WrongExpectedRevision(stream, currentRevision(state))
    return state
  }

  #append(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Appended {
    checkAppend(stream, expected, events)
    if (this.#closed) throw new Unavailable('the event store is closed')
    const state = this.#stream(stream)
    if (events.length === 0)
      return emptyAppend(stream, expected, visible(this.#readable(stream), { direction: 'backwards', limit: 1 }, this.#now()))
    const earlier = judge(stream, state, { expected, events, known: (id) => this.#byId.get(id) })
    const last = (earlier ?? this.#write(stream, state, events)).at(-1)!
    return { revision: last.revision, position: last.position, duplicate: earlier !== null }
  }

  #appendTogether(appends: readonly Append[]): readonly Appended[] {
    checkTogether(appends)
    if (this.#closed) throw new Unavailable('the event store is closed')
    const known = (id: string) => this.#byId.get(id)
    const repeated = appends.filter((append) => judge(append.stream, this.#stream(append.stream), { ...append, known }) !== null)
    if (repeated.length > 0 && repeated.length < appends.length) {
      throw new EventIdConflict('some appends of the group are repetitions, others are not')
    }
    return appends.map(({ stream, expected, events }) => this.#append(stream, expected, events))
  }

  #write(stream: string, state: StreamState, events: readonly EventToAppend[]): readonly RecordedEvent[] {
    const before = this.#head()
    const created = new Date(Math.max(this.#now(), Date.parse(this.#log.at(-1)?.created ?? new Date(0).toISOString()))).toISOString()
    const recorded = events.map(({ id, type, data, meta }, n) => ({
      ...{ id, type, data, meta, stream, created },
      revision: state.events.length + n,
      position: { commit: BigInt(this.#log.length + n + 1), prepare: 0n },
    }))
    for (const event of recorded) this.#byId.set(event.id, event)
    state.events.push(...recorded)
    this.#log.push(...recorded)
    this.#tail.extend(before, recorded, this.#head())
    return recorded
  }

  #head(): Position {
    return this.#log.at(-1)?.position ?? START
  }

  #readByStream({ range, after, limit, match: { types, knownTypes, upTo } }: ByStream): StreamBatch {
    const isWanted = ({ type, position }: RecordedEvent): boolean =>
      position.commit <= upTo.commit && (types.includes(type) || !knownTypes.includes(type))
    const isBehind = ({ stream, revision }: RecordedEvent): boolean =>
      after === null || stream > after.stream || (stream === after.stream && revision > after.revision)
    const streams = [...this.#streams.keys()].filter((stream) => stream >= range.from && stream < range.to).toSorted()
    const matching = streams.flatMap((stream) => this.#stream(stream).events.filter((event) => isWanted(event) && isBehind(event)))
    const events = matching.slice(0, limit)
    return { events, next: events.length < matching.length ? (events.at(-1) ?? null) : null }
  }

  #readAll(after: Position | 'start', limit: number): Batch {
    const from = after === 'start' ? START : after
    const first = Math.max(0, Number(from.commit))
    const events = this.#log.slice(first, first + limit)
    return { events, to: events.at(-1)?.position ?? from, caughtUp: events.length < limit }
  }

  #startTail(): void {
    if (this.#tail.end() !== undefined) return
    this.#tail.open(this.#head())
    this.#heartbeat = setInterval(() => this.#tail.extend(this.#head(), [], this.#head()), HEARTBEAT_MS).unref()
  }
}
