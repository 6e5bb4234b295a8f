import type { EventLog } from '@tidings/codec'
import type { Decider } from '@tidings/domain'
import type { Clock } from './clock.ts'
import type { Execution, StoredEvent } from './execution.ts'
import { type StateCache, stateCache } from './state-cache.ts'
import { emptyStream, type Place, refreshed, type StreamState } from './stream-state.ts'

export type RunnerLimits = Readonly<{ deadlineMs: number; maxWaiting: number; cacheBytes: number; cacheStreams: number }>

export type RunnerDeps<C, E, S> = Readonly<{ log: EventLog; decider: Decider<C, E, S>; limits: RunnerLimits; clock: Clock }>

/** `fresh`: read after the command arrived, so that a decision without an append may be answered. */
export type Standing<S> = Readonly<{ known: StreamState<S>; fresh: boolean }>

/** Where the streams of one aggregate stand, as far as this process knows. */
export type Standings<S> = Readonly<{
  cache: StateCache<S>
  /** What to decide on first: the cached state, or a read. */
  before: (place: Place, isNew?: boolean) => Promise<Standing<S>>
  /** The known state, brought up to date. */
  read: (known: StreamState<S> | undefined, place: Place) => Promise<StreamState<S>>
}>

export const standings = <C, E extends StoredEvent, S>({ log, decider, limits }: RunnerDeps<C, E, S>): Standings<S> => {
  const cache = stateCache<S>({ maxBytes: limits.cacheBytes, maxStreams: limits.cacheStreams })
  const empty = emptyStream(decider.initialState)

  const read = async (known: StreamState<S> | undefined, place: Place) => {
    const now = await refreshed(known ?? empty, { log, decider, ...place })
    cache.put(place.stream, now)
    return now
  }

  return {
    cache,
    read,
    before: async (place, isNew) => {
      const known = cache.get(place.stream) ?? (isNew ? empty : undefined)
      if (known) return { known, fresh: false }
      return { known: await read(undefined, place), fresh: true }
    },
  }
}

/** What is read for one command. */
export const placeOf = ({ stream, context }: Pick<Execution<never, never, never>, 'stream' | 'context'>): Place => ({
  stream,
  workspaceId: context.workspaceId,
  commandIds: [context.commandId],
})
