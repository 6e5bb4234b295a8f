import { setTimeout } from 'node:timers/promises'
import { Busy } from './errors.ts'

/** Source of time and randomness, replaced in tests. `now` is monotonic, in milliseconds. */
export type Clock = Readonly<{ now: () => number; random: () => number; sleep: (milliseconds: number) => Promise<unknown> }>

export const systemClock: Clock = { now: () => performance.now(), random: Math.random, sleep: (milliseconds) => setTimeout(milliseconds) }

/**
 * Waits before repetition `n` at a contended stream; throws `Busy` when the deadline has passed. The first is made in any case: a process that
 * stood still has lost one race, and not every one.
 */
export async function backOff(attempt: number, deadline: number, clock: Clock): Promise<void> {
  if (attempt > 0 && clock.now() >= deadline) throw new Busy('the stream stayed contended')
  const delay = jitter(attempt, clock.random)
  if (delay > 0) await clock.sleep(delay)
}

/** The delay before a repetition: none before the first, then up to 5, 10, 20, … 80 ms, uniformly distributed. */
function jitter(attempt: number, random: () => number): number {
  return attempt === 0 ? 0 : Math.ceil(random() * Math.min(5 * 2 ** (attempt - 1), 80))
}
