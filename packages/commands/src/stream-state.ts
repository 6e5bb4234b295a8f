import { type AppendContext, type EventLog, eventId, type Recorded } from '@tidings/codec'
import type { Decider, WorkspaceId } from '@tidings/domain'
import type { Appended, ExpectedRevision, Position } from '@tidings/event-store'
import type { StoredEvent } from './execution.ts'

/** What this process knows of a stream: its events up to `revision`, folded. Immutable, so that a failed append leaves no trace in it. */
export type StreamState<S> = Readonly<{
  state: S
  /** -1 for a stream without events. */
  revision: number
  /** The position of the last event; null for a stream without events. */
  position: Position | null
  /** Ids of the last events read, and of the last commands appended from here: how a repeated command is recognised. */
  recentEventIds: readonly string[]
  recentCommandIds: readonly string[]
}>

const REMEMBERED = 32

/** `commandIds`: the commands that are read for; one that was appended long ago is found where its event is among what is read. */
export type StreamRef = Readonly<{ stream: string; workspaceId: WorkspaceId; commandIds?: readonly string[] }>

type Folding<C, E, S> = StreamRef & Readonly<{ log: EventLog; decider: Decider<C, E, S> }>

export function emptyStream<S>(state: S): StreamState<S> {
  return {
    state,
    revision: -1,
    position: null,
    recentEventIds: [],
    recentCommandIds: [],
  }
}

/** Events of one page of a stream that carries its state forward. */
const PAGE = 512

/** What came after `known`; of a stream that carries its state forward not more than from the last event that does. */
const newEvents = async <C, E extends StoredEvent, S>(known: StreamState<S>, of: Folding<C, E, S>): Promise<readonly Recorded<E>[]> => {
  const { log, decider, workspaceId, stream } = of
  if (decider.carriesState === undefined) return await log.readStream<E>(workspaceId, stream, { from: known.revision + 1 })
  if (known.revision === -1) return await sinceCarried(known, of)
  const page = await log.readStream<E>(workspaceId, stream, { from: known.revision + 1, limit: PAGE })
  const isNext = page[0] === undefined || page[0].revision === known.revision + 1
  return page.length < PAGE && isNext ? page : await sinceCarried(known, of)
}

/**
 * Reads back from the stream's end, to the last event that carries the state or to what is known. Oldest first. Throws where the log does not
 * give all events in between: it was truncated or is damaged, and a state without them would be wrong.
 */
const sinceCarried = async <C, E extends StoredEvent, S>(known: StreamState<S>, of: Folding<C, E, S>): Promise<readonly Recorded<E>[]> => {
  const read: Recorded<E>[] = []
  for (;;) {
    const before = read.at(-1)?.revision
    const from = before === undefined ? {} : { from: before - 1 }
    const page = await of.log.readStream<E>(of.workspaceId, of.stream, { direction: 'backwards', limit: PAGE, ...from })
    for (const event of page) {
      if (event.revision <= known.revision) return read.reverse()
      read.push(event)
      if (of.decider.carriesState?.(event)) return read.reverse()
    }
    const oldest = read.at(-1)?.revision
    if (oldest === undefined || oldest === 0) return read.reverse()
    if (page.length === 0) throw new Error(`the events of ${of.stream} before ${oldest} are missing`)
  }
}

/** Reads only what came after `known` and folds it in. */
export async function refreshed<C, E extends StoredEvent, S>(known: StreamState<S>, of: Folding<C, E, S>): Promise<StreamState<S>> {
  const events = await newEvents(known, of)
  const last = events.at(-1)
  if (last === undefined) return known
  return {
    state: events.reduce<S>(of.decider.evolve, known.state),
    revision: last.revision,
    position: last.position,
    recentEventIds: [...known.recentEventIds, ...events.slice(-REMEMBERED).map((event) => event.id)].slice(-REMEMBERED),
    recentCommandIds: [...known.recentCommandIds, ...appendedAmong(events, of)].slice(-REMEMBERED),
  }
}

const appendedAmong = (events: readonly Recorded[], { stream, commandIds = [] }: StreamRef): readonly string[] => {
  const firsts = new Map(commandIds.map((id) => [eventId(id, stream, 0), id]))
  return events.flatMap(({ id }) => firsts.get(id) ?? [])
}

/** The stream after an append of this process, without reading it. */
export function advanced<S>(known: StreamState<S>, state: S, appended: Appended, commandIds: readonly string[]): StreamState<S> {
  return {
    state,
    revision: appended.revision,
    position: appended.position,
    recentEventIds: known.recentEventIds,
    recentCommandIds: [...known.recentCommandIds, ...commandIds].slice(-REMEMBERED),
  }
}

/** True when the stream shows that this very command was appended before, as far back as is remembered. An event id is a hash, 1 µs. */
export function alreadyApplied(known: StreamState<unknown>, stream: string, { commandId }: AppendContext): boolean {
  return (
    known.recentCommandIds.includes(commandId) ||
    (known.recentEventIds.length > 0 && known.recentEventIds.includes(eventId(commandId, stream, 0)))
  )
}

export function expectedRevision({ revision }: StreamState<unknown>): ExpectedRevision {
  return revision === -1 ? 'no_stream' : revision
}
