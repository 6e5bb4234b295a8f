import { comparePositions, type Position, type RecordedEvent } from '../port.ts'

export type WindowLimits = Readonly<{ maxEvents: number; maxBytes: number }>

/** What is after a place: `events` in log order, standing at `to`. `'behind'` when the window no longer reaches back that far. */
export type Slice = Readonly<{ events: readonly RecordedEvent[]; to: Position }>

/**
 * The newest part of the log in memory: every event after `floor`, up to and including `end`.
 * It never has a hole: what does not join at the end is not taken.
 */
export type Window = Readonly<{
  floor: () => Position
  end: () => Position
  /** Events that directly follow `after`, standing at `to` afterwards. False when the window ends before `after`. */
  extend: (after: Position, events: readonly RecordedEvent[], to: Position) => boolean
  slice: (after: Position, limit: number) => Slice | 'behind'
  /** Lets go of everything up to `position`. */
  forget: (position: Position) => void
}>

/** Characters as the measure: JSON of this service is nearly all Latin-1, which V8 keeps in one byte each. 200 is the object around them. */
const weight = (event: RecordedEvent): number => event.data.length + event.meta.length + 200

/** An empty window that stands at `start`, kept under both limits by forgetting the oldest. */
export const createWindow = (start: Position, limits: WindowLimits): Window => {
  let events: RecordedEvent[] = []
  let first = 0
  let bytes = 0
  let floor = start
  let end = start

  const dropFirst = (): void => {
    const event = events[first]!
    bytes -= weight(event)
    floor = event.position
    first += 1
  }
  const compact = (): void => {
    if (first < 1_024 || first * 2 < events.length) return
    events = events.slice(first)
    first = 0
  }
  /** Index of the first event after `position`. */
  const indexAfter = (position: Position): number => {
    let low = first
    let high = events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (comparePositions(events[middle]!.position, position) > 0) high = middle
      else low = middle + 1
    }
    return low
  }

  return {
    floor: () => floor,
    end: () => end,
    extend: (after, added, to) => {
      if (comparePositions(after, end) > 0) return false
      for (const event of added) {
        if (comparePositions(event.position, end) <= 0) continue
        events.push(event)
        bytes += weight(event)
        end = event.position
      }
      if (comparePositions(to, end) > 0) end = to
      while (events.length - first > limits.maxEvents || (bytes > limits.maxBytes && first < events.length)) dropFirst()
      compact()
      return true
    },
    slice: (after, limit) => {
      if (comparePositions(after, floor) < 0) return 'behind'
      const from = indexAfter(after)
      const found = events.slice(from, from + limit)
      const last = found.at(-1)
      const cut = from + limit < events.length && last !== undefined
      return { events: found, to: cut ? last.position : comparePositions(end, after) < 0 ? after : end }
    },
    forget: (position) => {
      while (first < events.length && comparePositions(events[first]!.position, position) <= 0) dropFirst()
      if (comparePositions(position, floor) > 0 && comparePositions(position, end) <= 0) floor = position
      if (first === events.length) {
        events = []
        first = 0
      }
    },
  }
}
