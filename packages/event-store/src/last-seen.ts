import { LogWentBack } from './errors.ts'
import { comparePositions, type Position, START } from './port.ts'

/** The position up to which a log was seen. A log that does not reach `position`, or has another event in the place of `event`, is not that log. */
export type SeenPosition = Readonly<{ position: Position; event: Readonly<{ position: Position; id: string }> | null }>

export const NOTHING_SEEN: SeenPosition = { position: START, event: null }

/**
 * What this process, or its database, has seen of the log. It only grows. Adapters compare it with the log whenever a connection is new,
 * and before anything that they read there counts.
 */
export type LastSeen = Readonly<{
  current: () => SeenPosition
  see: (event: Readonly<{ position: Position; id: string }> | undefined) => void
  /** The log was seen up to here, where there may be no event of ours. */
  reach: (position: Position) => void
  /** The log was read and holds what was seen. */
  confirmed: () => void
  /** The log was read and does not hold it; throw the result. */
  missing: (seen: SeenPosition) => LogWentBack
}>

export type LastSeenOptions = Readonly<{
  seen?: SeenPosition | undefined
  log?: Readonly<{ warn: (fields: Record<string, unknown>, message: string) => void }> | undefined
}>

export function createLastSeen({ seen = NOTHING_SEEN, log }: LastSeenOptions): LastSeen {
  let current = seen
  let wentBack = false
  const reach = (position: Position): void => {
    if (comparePositions(position, current.position) > 0) current = { ...current, position }
  }
  return {
    current: () => current,
    see: (event) => {
      if (event === undefined || (current.event !== null && comparePositions(event.position, current.event.position) <= 0)) return
      const { position, id } = event
      current = { ...current, event: { position, id } }
      reach(position)
    },
    reach,
    confirmed: () => {
      if (wentBack) log?.warn({}, 'the event log is again the one that was seen; work goes on')
      wentBack = false
    },
    missing: ({ position }) => {
      const error = new LogWentBack(
        `the event log does not hold what was seen of it, up to position ${position.commit}: it was set back, or is another one`,
      )
      if (!wentBack)
        log?.warn({ err: error }, 'the event log went back: nothing is written, sent or projected until it is the one that was seen')
      wentBack = true
      return error
    },
  }
}
