import type { Recorded, StreamReader } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { type LogView, NOT_FOLLOWED } from './log-view.ts'
import { createSerialReads } from './serial-reads.ts'
import { createStreamEntries, type StreamEntry } from './stream-entries.ts'

type AnyEvent = Readonly<{ type: string; data: unknown }>

type Folded<S> = Readonly<{ state: S; revision: number }>
type Read<S> = (workspaceId: WorkspaceId, stream: string) => Promise<Folded<S>>

/** How one kind of stream is folded. `types`: all of the stream's; a type that is left out looks like a gap. `max`: streams kept. */
export type FollowedStatesOptions<E extends AnyEvent, S extends object> = Readonly<{
  /** A stream is read from its first event on; or by `read`, if streams are too long for that: -1 is the revision of an empty one. */
  log: StreamReader | Readonly<{ read: Read<S> }>
  types: readonly E['type'][]
  initial: S
  evolve: (state: S, event: Recorded<E>) => S
  max: number
}>

export type FollowedStates<S, E extends AnyEvent = AnyEvent> = LogView &
  Readonly<{
    /** The state as of now, without a promise where it is known. */
    get: (workspaceId: WorkspaceId, stream: string) => S | Promise<S>
    /** The state as of `position` of the log, or later. */
    getAt: (workspaceId: WorkspaceId, stream: string, position: Position) => Promise<S>
    /** The state as the log has it now, read even where it is known. */
    readNow: (workspaceId: WorkspaceId, stream: string) => Promise<S>
    /** The same by a read of the caller's, of all events of the stream; not called where the stream is being read already. */
    readBy: (workspaceId: WorkspaceId, stream: string, read: () => Promise<readonly Recorded<E>[]>) => Promise<S>
  }>

/** How long the follower may take to pass an event that a consumer has already: both receive it at the same moment. */
const REACH_TIMEOUT_MS = 100

/**
 * States of streams, kept up to date by following the log. A stream's revisions say exactly whether an event is the next one, an old one,
 * or one behind a gap; then the stream is read again. A state is used only while the follower is caught up. A stream that is followed from its
 * first event on is known without a read. One stream is read once at a time (`createSerialReads`). Every read rejects with `ForeignEvent`
 * where the stream holds an event of another workspace.
 */
export function createFollowedStates<E extends AnyEvent, S extends object>(options: FollowedStatesOptions<E, S>): FollowedStates<S, E> {
  const { log, types, initial, evolve } = options
  const entries = createStreamEntries<Recorded<E>, S>(options)
  const serially = createSerialReads<S>()
  let follower = NOT_FOLLOWED

  const fold: Read<S> = async (workspaceId, stream) => {
    if ('read' in log) return await log.read(workspaceId, stream)
    return foldOf(await log.readStream<E>(workspaceId, stream))
  }

  const foldOf = (events: readonly Recorded<E>[]): Folded<S> => ({
    state: events.reduce<S>(evolve, initial),
    revision: events.at(-1)?.revision ?? -1,
  })

  const reread = (workspaceId: WorkspaceId, stream: string, folding: () => Promise<Folded<S>>): Promise<S> =>
    serially(`${workspaceId} ${stream}`, async () => {
      const isFollowed = follower.since() !== null
      const read = async (): Promise<StreamEntry<S>> => {
        const folded = await folding()
        return { ...folded, workspaceId: folded.revision === -1 ? null : workspaceId }
      }
      return (await entries.refresh(workspaceId, stream, { isFollowed, read })).state
    })

  const readNow = (workspaceId: WorkspaceId, stream: string): Promise<S> => reread(workspaceId, stream, () => fold(workspaceId, stream))

  return {
    types,
    attach: (attached) => {
      follower = attached
    },
    // The cast is the edge where the events of the types that were asked for get their type back.
    apply: (event) => entries.apply(event as Recorded<E>),
    get: (workspaceId, stream) => {
      const entry = follower.isCaughtUp() ? entries.find(workspaceId, stream) : undefined
      return entry?.state ?? readNow(workspaceId, stream)
    },
    getAt: async (workspaceId, stream, position) => {
      const entry = (await follower.hasPassed(position, REACH_TIMEOUT_MS)) ? entries.find(workspaceId, stream) : undefined
      return entry?.state ?? (await readNow(workspaceId, stream))
    },
    readNow,
    readBy: (workspaceId, stream, read) => reread(workspaceId, stream, async () => foldOf(await read())),
  }
}
