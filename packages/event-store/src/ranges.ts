import { type Batch, comparePositions, type EventStore, type Position } from './port.ts'

/** The events after `after`, up to `to`. */
export type LogRange = Readonly<{ after: Position; to: Position }>

/** A range in parts of `events` places, one behind the other. */
export function rangesOf(advance: NonNullable<EventStore['advance']>, { after, to }: LogRange, events: number): readonly LogRange[] {
  const ranges: LogRange[] = []
  for (let from = after; comparePositions(from, to) < 0; ) {
    const next = advance(from, events)
    const end = comparePositions(next, to) < 0 ? next : to
    ranges.push({ after: from, to: end })
    from = end
  }
  return ranges
}

type Page<Event> = Omit<Batch, 'events'> & Readonly<{ events: readonly Event[]; release?: () => void }>

/** The events of a range, page by page: `read` gives those after a place. A page is released when the next one is asked for. */
export async function* readRange<Event extends Readonly<{ position: Position }>>(
  read: (after: Position) => Promise<Page<Event>>,
  { after, to }: LogRange,
): AsyncGenerator<readonly Event[], void, undefined> {
  for (let at = after; comparePositions(at, to) < 0; ) {
    const { events, to: end, caughtUp, release } = await read(at)
    const beyond = events.findIndex(({ position }) => comparePositions(position, to) > 0)
    yield beyond < 0 ? events : events.slice(0, beyond)
    release?.()
    if (caughtUp) return
    at = end
  }
}
