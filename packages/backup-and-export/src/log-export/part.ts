import { comparePositions, type Position, type RecordedEvent } from '@tidings/event-store'
import type { Reached } from './unfinished.ts'

/** The bytes that follow in the file. `to`: where the export then is; `seen`: the last event of it, null where there is none. */
export type Part = Readonly<{
  bytes: Uint8Array
  events: number
  to: Position | null
  seen: Reached['seen']
  isLast: boolean
  /** The reason for which the event behind these cannot be exported. */
  failure: Error | null
}>

/** `before`: where the export is before these; `until`: the time of the first event that is not wanted. */
export type PartBounds = Readonly<{ to: Position; head: Position; before: Position | null; until: string | null }>

type Stored = Pick<RecordedEvent, 'position' | 'created' | 'stream' | 'revision' | 'id'>

/** Makes stored events what follows in the file. `events`: how many of them; `failure`: why the one behind cannot be exported. */
export type ToBytes<Event> = (stored: readonly Event[]) => Promise<Pick<Part, 'bytes' | 'events' | 'failure'>>

/** Stored events as a part of the file. */
export async function partOf<Event extends Stored>(events: readonly Event[], bounds: PartBounds, toBytes: ToBytes<Event>): Promise<Part> {
  const { stored, to, isLast } = cut(events, bounds)
  const { bytes, events: exported, failure } = await toBytes(stored)
  const last = stored[exported - 1]
  return {
    bytes,
    events: exported,
    to: failure === null ? to : (last?.position ?? bounds.before),
    seen: last === undefined ? null : { stream: last.stream, revision: last.revision, id: last.id },
    isLast,
    failure,
  }
}

/** The events before `until`, where the export then is, and whether it is over. */
const cut = <Event extends Stored>(events: readonly Event[], { to, head, before, until }: PartBounds) => {
  const end = until === null ? -1 : events.findIndex(({ created }) => created >= until)
  if (end < 0) return { stored: events, to, isLast: comparePositions(to, head) >= 0 }
  const stored = events.slice(0, end)
  return { stored, to: stored.at(-1)?.position ?? before, isLast: true }
}
