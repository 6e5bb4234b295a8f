import type { RecordedEvent } from '@tidings/event-store'
import type { ExportedEvent, ToExported } from './exported-event.ts'
import type { ToBytes } from './part.ts'

/** The bytes of a format, in the order of the file. */
export type Encoding = Readonly<{
  /** What follows in the file; empty while events are buffered, to be written with later ones. */
  add: (events: readonly ExportedEvent[]) => Buffer
  /** Returns the buffered bytes early: afterwards nothing is buffered. */
  flush: () => Buffer
  /** Returns the buffered bytes and the end of the file. */
  end: () => Buffer
  /** Nothing is buffered: an encoding that gets `state` can continue the file from here. */
  isWhole: () => boolean
  state: () => string | null
}>

/** Makes stored events what a format holds of them. */
export function encoded(toExported: ToExported, { add }: Pick<Encoding, 'add'>): ToBytes<RecordedEvent> {
  return async (stored) => {
    const { events, failure } = await toExported(stored)
    return { bytes: add(events), events: events.length, failure }
  }
}
