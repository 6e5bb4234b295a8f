import type { EventLog, Recorded } from '@tidings/codec'
import type { LogFollower } from '@tidings/commands'
import { LRUCache } from 'lru-cache'

type AnyEvent = Readonly<{ type: string; data: unknown }>

/** How one kind of stream is folded into the little that is asked of it. `concerns`: other events only count for the revision. */
export type Following<E extends AnyEvent, S extends object> = Readonly<{
  log: EventLog
  follower: LogFollower
  types: readonly E['type'][]
  initial: S
  evolve: (state: S, event: E) => S
  max: number
}>

/** The state of a stream, at once where it is known; `ask`: what one wants of it. */
export type FollowedStates<S> = Readonly<{
  get: (workspaceId: string, stream: string) => S | Promise<S>
  ask: <A>(workspaceId: string, stream: string, answer: (state: S) => A) => A | Promise<A>
}>

type Entry<S> = Readonly<{ state: S; revision: number }>

/**
 * States of streams, kept true by following the log: a stream's revisions tell exactly whether an event is the next one, an old one, or
 * proof that one was missed (then the entry goes, and the next question reads the stream). What is known is used only while the
 * follower was heard within a second. A stream seen from its first event on is known without a read.
 * Listens at once: make it before the follower starts.
 */
export function followedStates<E extends AnyEvent, S extends object>(following: Following<E, S>): FollowedStates<S> {
  const { log, follower, types, initial, evolve, max } = following
  const known = new LRUCache<string, Entry<S>>({ max })
  /** Streams being read, with the newest revision heard meanwhile. */
  const reading = new Map<string, number>()

  // The cast is the edge where the events of the types that were asked for get their type back.
  const heard = (event: Recorded): void => {
    const { stream, revision } = event
    if (reading.has(stream)) reading.set(stream, revision)
    const entry = known.get(stream) ?? (revision === 0 ? { state: initial, revision: -1 } : undefined)
    if (entry === undefined || revision <= entry.revision) return
    if (revision === entry.revision + 1) known.set(stream, { state: evolve(entry.state, event as E), revision })
    else known.delete(stream)
  }
  follower.listen({ types, heard })

  const read = async (workspaceId: string, stream: string): Promise<S> => {
    reading.set(stream, -1)
    try {
      const events = await log.readStream<E>(stream)
      if (events.some((event) => event.meta.workspaceId !== workspaceId))
        throw new Error(`stream ${stream} holds an event of another workspace`)
      const entry = { state: events.reduce<S>(evolve, initial), revision: events.at(-1)?.revision ?? -1 }
      if (entry.revision >= 0 && (reading.get(stream) ?? -1) <= entry.revision) known.set(stream, entry)
      return entry.state
    } finally {
      reading.delete(stream)
    }
  }

  const fresh = (stream: string): Entry<S> | undefined => (follower.isFresh() ? known.get(stream) : undefined)

  return {
    get: (workspaceId, stream) => fresh(stream)?.state ?? read(workspaceId, stream),
    ask: (workspaceId, stream, answer) => {
      const entry = fresh(stream)
      return entry === undefined ? read(workspaceId, stream).then(answer) : answer(entry.state)
    },
  }
}
