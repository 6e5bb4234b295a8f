import type { EventLog, Recorded } from '@tidings/codec'
import type { LogFollower } from '@tidings/commands'
import type { Position } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'
import { heardUpTo } from './heard-up-to.ts'
import { createSerialReads } from './serial-reads.ts'

type AnyEvent = Readonly<{ type: string; data: unknown }>

/** How one kind of stream is folded into the little that is asked of it. `types`: all of the stream's; what is left out looks like a gap. */
export type Following<E extends AnyEvent, S extends object> = Readonly<{
  log: EventLog
  follower: LogFollower
  types: readonly E['type'][]
  initial: S
  evolve: (state: S, event: Recorded<E>) => S
  max: number
}>

export type FollowedStates<S> = Readonly<{
  /** The state as of now, at once where it is known. */
  get: (workspaceId: string, stream: string) => S | Promise<S>
  /** The state as of `position` of the log, or later. */
  at: (workspaceId: string, stream: string, position: Position) => Promise<S>
  /** The state as the log has it now, whatever is known. */
  read: (workspaceId: string, stream: string) => Promise<S>
  /** What one wants of the state as of now. */
  ask: <A>(workspaceId: string, stream: string, answer: (state: S) => A) => A | Promise<A>
}>

/** `workspaceId`: of all its events; null for a stream without events. */
type Entry<S> = Readonly<{ state: S; revision: number; workspaceId: string | null }>

/**
 * States of streams, kept true by following the log: a stream's revisions tell exactly whether an event is the next one, an old one, or
 * proof that one was missed (then the entry goes, and the next question reads the stream). What is known is used only while the
 * follower was heard within a second. A stream seen from its first event on is known without a read.
 *
 * An entry never goes back: a stream is read once at a time (`createSerialReads`), and of what was read and what was heard the higher revision wins.
 * Listens at once: make it before the follower starts.
 */
export function followedStates<E extends AnyEvent, S extends object>(following: Following<E, S>): FollowedStates<S> {
  const { log, follower, types, initial, evolve, max } = following
  const empty: Entry<S> = { state: initial, revision: -1, workspaceId: null }
  const known = new LRUCache<string, Entry<S>>({ max })
  /** The last read begun of each stream that is being read, with the newest revision heard meanwhile. */
  const reading = new Map<string, { newestHeard: number }>()
  const serially = createSerialReads<S>()

  // The cast is the edge where the events of the types that were asked for get their type back.
  const heard = (event: Recorded): void => {
    const { stream, revision } = event
    const current = reading.get(stream)
    if (current !== undefined) current.newestHeard = Math.max(current.newestHeard, revision)
    const entry = known.get(stream) ?? (revision === 0 ? empty : undefined)
    if (entry === undefined || revision <= entry.revision) return
    const { workspaceId } = event.meta
    const isNext = revision === entry.revision + 1 && (entry.workspaceId ?? workspaceId) === workspaceId
    // Behind a gap, and where the event is foreign, the log is read again, and says so.
    if (isNext) known.set(stream, { state: evolve(entry.state, event as Recorded<E>), revision, workspaceId })
    else known.delete(stream)
  }
  follower.listen({ types, heard })

  const heldOf = (workspaceId: string, stream: string): Entry<S> | undefined => {
    const entry = known.get(stream)
    return (entry?.workspaceId ?? workspaceId) === workspaceId ? entry : undefined
  }

  const fold = async (workspaceId: string, stream: string): Promise<Entry<S>> => {
    const events = await log.readStream<E>(workspaceId, stream)
    return {
      state: events.reduce<S>(evolve, initial),
      revision: events.at(-1)?.revision ?? -1,
      workspaceId: events.length > 0 ? workspaceId : null,
    }
  }

  const readNow = async (workspaceId: string, stream: string): Promise<S> => {
    const own = { newestHeard: -1 }
    reading.set(stream, own)
    // Read before the follower began, it would lack what was appended in between, and nothing would ever say so.
    const isFollowed = follower.since() !== null
    try {
      const read = await fold(workspaceId, stream)
      const held = heldOf(workspaceId, stream)
      if (held !== undefined && held.revision > read.revision) return held.state
      // What was heard is noted with the last read only: one that stalled and was superseded cannot tell whether it is still true.
      const isNewest = reading.get(stream) === own && own.newestHeard <= read.revision
      if (isFollowed && isNewest) known.set(stream, read)
      return read.state
    } finally {
      if (reading.get(stream) === own) reading.delete(stream)
    }
  }

  const read = (workspaceId: string, stream: string): Promise<S> => serially(stream, () => readNow(workspaceId, stream))
  const fresh = (workspaceId: string, stream: string): Entry<S> | undefined =>
    follower.isFresh() ? heldOf(workspaceId, stream) : undefined

  return {
    get: (workspaceId, stream) => fresh(workspaceId, stream)?.state ?? read(workspaceId, stream),
    at: async (workspaceId, stream, position) => {
      const entry = (await heardUpTo(follower, position)) ? heldOf(workspaceId, stream) : undefined
      return entry?.state ?? (await read(workspaceId, stream))
    },
    read,
    ask: (workspaceId, stream, answer) => {
      const entry = fresh(workspaceId, stream)
      return entry === undefined ? read(workspaceId, stream).then(answer) : answer(entry.state)
    },
  }
}
