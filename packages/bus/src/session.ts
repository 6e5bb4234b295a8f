import type { Position } from '@tidings/event-store'
import type { RowLease } from '@tidings/jobs'
import type { UnknownEvent } from './unknown-event.ts'

/** The position of a group in each partition when it left Kafka: events up to there were handled, although the log has them again. */
type Handled = Readonly<{ partitions: readonly Position[]; furthest: Position }>

/** The state of a process that runs a group. `at`: how far the group is. `handled` is set while the group returns from Kafka to the log. */
export type Session = { readonly lease: RowLease; at: Position; handled: Handled | null }

/** Progress of the running session; `unknown`: the event that ended the last one, until the group is past it. */
export type Tally = {
  position: Position | null
  caughtUp: boolean
  lagSeconds: number
  lagEvents: number | null
  unknown: UnknownEvent | null
}
