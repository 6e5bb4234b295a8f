import { EventIdConflict, StreamDeleted, WrongExpectedRevision } from '../errors.ts'
import type { EventToAppend, ExpectedRevision, ReadStreamOptions, RecordedEvent, StreamLimits } from '../port.ts'

export type StreamState = { events: RecordedEvent[]; tombstoned: boolean; deletedBefore: number; limits: StreamLimits }

export function newStream(): StreamState {
  return { events: [], tombstoned: false, deletedBefore: 0, limits: {} }
}

export function currentRevision(state: StreamState): number | null {
  return state.events.length === 0 ? null : state.events.length - 1
}

/** Whether a writer who expects this may write. What a soft delete hides counts as no stream. */
export function fits(state: StreamState, expected: ExpectedRevision): boolean {
  const exists = state.events.length > state.deletedBefore
  if (expected === 'any') return true
  if (expected === 'no_stream') return !exists
  return expected === 'stream_exists' ? exists : expected === currentRevision(state)
}

/** The rules of `es.append` for one append: null to write it, the earlier events when it is a repetition, else it throws. */
export function judge(
  stream: string,
  state: StreamState,
  append: Readonly<{ expected: ExpectedRevision; events: readonly EventToAppend[]; known: (id: string) => RecordedEvent | undefined }>,
): readonly RecordedEvent[] | null {
  const { expected, events } = append
  if (state.tombstoned) throw new StreamDeleted(`stream ${stream} is deleted`)
  const found = events.map((event) => append.known(event.id)).filter((event) => event !== undefined)
  const wrong = new WrongExpectedRevision(stream, currentRevision(state))
  if (found.length === 0) {
    if (fits(state, expected)) return null
    throw wrong
  }
  const first = found[0]!
  const inOrder =
    found.length === events.length && found.every((event, n) => event.stream === stream && event.revision === first.revision + n)
  if (inOrder && (typeof expected !== 'number' || first.revision === expected + 1)) return found
  if (inOrder && !fits(state, expected)) throw wrong
  throw new EventIdConflict(`some event ids of the append to ${stream} are already used otherwise`)
}

/** What a reader sees: after deletion and limits, `now` in ms deciding about age. */
export function visible(state: StreamState, read: ReadStreamOptions, now: number): readonly RecordedEvent[] {
  const { truncateBefore = 0, maxCount, maxAgeSeconds } = state.limits
  const lowest = Math.max(state.deletedBefore, truncateBefore, maxCount === undefined ? 0 : state.events.length - maxCount)
  const seen = state.events.filter(
    (event) => event.revision >= lowest && (maxAgeSeconds === undefined || Date.parse(event.created) >= now - maxAgeSeconds * 1_000),
  )
  const { from, direction = 'forwards', limit = seen.length } = read
  if (direction === 'forwards') return seen.filter((event) => event.revision >= (from ?? 0)).slice(0, limit)
  return seen
    .filter((event) => event.revision <= (from ?? Number.POSITIVE_INFINITY))
    .reverse()
    .slice(0, limit)
}
