import type { Recorded } from '@tidings/codec'
import { type MessageEvent, message } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'

/** `open`: nothing was decided about the message yet, so an attempt may be working on it. */
export type EndOfHold = 'settle' | 'release' | 'open'

const ACCEPTED: ReadonlySet<string> = new Set(['MessageSent', 'MessageDelivered', 'MessageBounced', 'MessageComplained'])

/**
 * What is right for an open hold, by what happened to its message. A hold that was placed before the provider's acceptance is the one that pays for
 * it: had another paid, this one could not have been open beside it. One that was placed afterwards is of an attempt that came too late.
 */
export function endOfHold(placed: Position, history: readonly Recorded<MessageEvent>[]): EndOfHold {
  const accepted = history.find(({ type }) => ACCEPTED.has(type))
  if (accepted !== undefined) return comparePositions(placed, accepted.position) < 0 ? 'settle' : 'release'
  const { status } = history.reduce(message.evolve, message.initialState)
  return status === 'none' || status === 'queued' ? 'open' : 'release'
}
