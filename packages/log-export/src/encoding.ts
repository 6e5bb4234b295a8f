import type { ExportedEvent } from './exported-event.ts'

/** The bytes of a format, in the order of the file. */
export type Encoding = Readonly<{
  /** What follows in the file; empty while events are held back, to be written with later ones. */
  add: (events: readonly ExportedEvent[]) => Buffer
  /** What was held back, sooner than it would have come: afterwards all is whole. */
  flush: () => Buffer
  /** What was held back, and what the file ends with. */
  end: () => Buffer
  /** Nothing is held back: the file may be continued from here, by an encoding that gets `state`. */
  isWhole: () => boolean
  state: () => string | null
}>
