import { type AppendContext, type EventLog, roughSize } from '@tidings/codec'
import type { Decider } from '@tidings/domain'
import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'
import type { StoredEvent } from './execution.ts'
import { emptyStream, refreshed, type StreamRef, type StreamState } from './stream-state.ts'

export type RunnerLimits = Readonly<{ deadlineMs: number; maxWaiting: number; cacheBytes: number; cacheStreams: number }>

export type RunnerDeps<C, E, S> = Readonly<{ log: EventLog; decider: Decider<C, E, S>; limits: RunnerLimits; clock: Clock }>

/** `isRecent`: the state was read after the command arrived, so that a decision without an append may be answered. */
export type CachedState<S> = Readonly<{ known: StreamState<S>; isRecent: boolean }>

type StateCache<S> = Readonly<{
  get: (stream: string) => StreamState<S> | undefined
  /** Keeps the newer of the two. */
  put: (stream: string, known: StreamState<S>) => void
  clear: () => void
}>

/** The states of one aggregate's streams, as far as this process knows them. */
export type CachedStates<S> = Readonly<{
  cache: StateCache<S>
  /** What to decide on first: the cached state, or a read. */
  before: (ref: StreamRef, isNew?: boolean) => Promise<CachedState<S>>
  /** The known state, brought up to date. */
  read: (known: StreamState<S> | undefined, ref: StreamRef) => Promise<StreamState<S>>
}>

export function createCachedStates<C, E extends StoredEvent, S>({ log, decider, limits }: RunnerDeps<C, E, S>): CachedStates<S> {
  const cache = createStateCache<S>(limits)
  const empty = emptyStream(decider.initialState)

  const read = async (known: StreamState<S> | undefined, ref: StreamRef) => {
    const now = await refreshed(known ?? empty, { log, decider, ...ref })
    cache.put(ref.stream, now)
    return now
  }

  return {
    cache,
    read,
    before: async (ref, isNew) => {
      const known = cache.get(ref.stream) ?? (isNew ? empty : undefined)
      if (known) return { known, isRecent: false }
      return { known: await read(undefined, ref), isRecent: true }
    },
  }
}

/** Folded streams of one aggregate, least recently used out first; bounded by their size in memory and by number. */
const createStateCache = <S>(limits: RunnerLimits): StateCache<S> => {
  const entries = new LRUCache<string, StreamState<S>>({
    max: limits.cacheStreams,
    maxSize: limits.cacheBytes,
    maxEntrySize: Math.ceil(limits.cacheBytes / 8),
    sizeCalculation: (known, stream) => stream.length + roughSize(known),
  })
  return {
    get: (stream) => entries.get(stream),
    put: (stream, known) => {
      const cached = entries.peek(stream)
      if (cached === undefined || cached.revision <= known.revision) entries.set(stream, known)
    },
    clear: () => entries.clear(),
  }
}

/** The stream that is read for one command. */
export function streamRefOf({ stream, context }: Readonly<{ stream: string; context: AppendContext }>): StreamRef {
  return {
    stream,
    workspaceId: context.workspaceId,
    commandIds: [context.commandId],
  }
}
