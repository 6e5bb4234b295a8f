import type { Recorded } from '@tidings/codec'
import { comparePositions } from '@tidings/event-store'
import { type Fact, factOf } from '../fact.ts'
import type { KnownMessage, Moment } from './known-message.ts'

/** `changes`: which events say something new; `says`: what holds after these. */
type Watched<E> = Readonly<{
  events: readonly (Recorded & E)[]
  changes: (event: Recorded & E) => boolean
  says: (events: readonly (Recorded & E)[]) => string
}>

/** What held when the message was accepted and when it was sent: by the event that made it so, once where it is the same one. */
export function factsAtMoments<E>({ moments: [accept, send] }: Pick<KnownMessage, 'moments'>, watched: Watched<E>): readonly Fact[] {
  const first = factAt(accept, watched)
  const second = factAt(send, watched)
  if (first !== null && first.by === second?.by) return [factOf(first.by, `${accept.name} and ${send.name}: ${first.says}`)]
  return [
    ...(first === null ? [] : [factOf(first.by, `${accept.name}: ${first.says}`)]),
    ...(second === null ? [] : [factOf(second.by, `${send.name}: ${second.says}`)]),
  ]
}

const factAt = <E>({ until }: Moment, { events, changes, says }: Watched<E>) => {
  const before = eventsUntil(events, until)
  const by = before.findLast(changes)
  return by === undefined ? null : { by, says: says(before) }
}

/** Those up to and with a position. */
export function eventsUntil<E extends Pick<Recorded, 'position'>>(events: readonly E[], until: Moment['until']): readonly E[] {
  return until === null ? events : events.filter(({ position }) => comparePositions(position, until) <= 0)
}
