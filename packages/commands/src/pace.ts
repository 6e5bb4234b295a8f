import { setTimeout } from 'node:timers/promises'
import { Busy } from './errors.ts'

/** Where time and chance come from; tests bring their own. `now` is monotonic, in milliseconds. */
export type Pace = Readonly<{ now: () => number; random: () => number; sleep: (milliseconds: number) => Promise<unknown> }>

export const realPace: Pace = { now: () => performance.now(), random: Math.random, sleep: (milliseconds) => setTimeout(milliseconds) }

/** The pause before attempt `n` at a contended stream: none before the first repetition, then up to 5, 10, 20, … 80 ms, evenly spread. */
export const jitter = (attempt: number, random: () => number): number =>
  attempt === 0 ? 0 : Math.ceil(random() * Math.min(5 * 2 ** (attempt - 1), 80))

/** Pauses before the next attempt; throws `Busy` when the deadline has passed. */
export const pauseBefore = async (attempt: number, deadline: number, pace: Pace): Promise<void> => {
  if (pace.now() >= deadline) throw new Busy('the stream stayed contended')
  const pause = jitter(attempt, pace.random)
  if (pause > 0) await pace.sleep(pause)
}
