import type { Recorded } from '@tidings/codec'
import type { Position } from '@tidings/event-store'

/** How far a follower of the log is. */
export type FollowerState = Readonly<{
  /** True while the log was received, up to its end, within the last second. */
  isCaughtUp: () => boolean
  /** The position at which the follower began: it has no earlier event. Null until the first batch. */
  since: () => Position | null
  /** Every event up to here was applied to the views. Null until the first batch. */
  position: () => Position | null
  /** Whether every event up to `wanted` was applied, now or within so many milliseconds. */
  hasPassed: (wanted: Position, ms: number) => Promise<boolean>
}>

/** State in memory that events of the log change. Without a follower it is never caught up, so that every question is answered by a read. */
export type LogView = Readonly<{
  /** The events it is given; those of no view are not decrypted. */
  types: readonly string[]
  /** Called in log order, before the follower's position passes the event. */
  apply: (event: Recorded) => void
  /** Called once, before the first event. */
  attach?: (follower: FollowerState) => void
}>

export const NOT_FOLLOWED: FollowerState = {
  isCaughtUp: () => false,
  since: () => null,
  position: () => null,
  hasPassed: async () => false,
}
