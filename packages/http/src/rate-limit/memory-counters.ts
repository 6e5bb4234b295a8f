import type { Hit, RateCounters } from './counters.ts'

/** One window of one key. `blockedUntil` is 0 while it is not blocked; times in ms of `now`. */
type Counter = { count: number; windowEnds: number; blockedUntil: number }

type Options = Readonly<{ windowMs?: number; maxKeys?: number; now?: () => number }>

const WINDOW_MS = 60_000
const MAX_KEYS = 100_000
/** Of how many old counters one eviction looks; a blocked one goes to the end of the queue and stays. */
const LOOKS = 64

const seconds = (ms: number): number => Math.ceil(ms / 1_000)

/**
 * Counts as @nestjs/throttler does: a window opens with its first request; the request over the limit blocks the key for a whole
 * window from then on, and blocked requests are not counted. There are no timers. At most `maxKeys` counters are held: the oldest
 * unblocked ones make room, and where all that are looked at are blocked, newcomers share one counter.
 */
export const memoryCounters = ({ windowMs = WINDOW_MS, maxKeys = MAX_KEYS, now = Date.now }: Options = {}): RateCounters => {
  const counters = new Map<string, Counter>()
  const overflow: Counter = { count: 0, windowEnds: 0, blockedUntil: 0 }

  const makeRoom = (time: number): boolean => {
    for (let look = 0; look < LOOKS; look++) {
      const oldest = counters.entries().next()
      if (oldest.done) return true
      const [key, counter] = oldest.value
      counters.delete(key)
      if (counter.blockedUntil <= time) return true
      counters.set(key, counter)
    }
    return false
  }

  const counterOf = (key: string, time: number): Counter => {
    const known = counters.get(key)
    if (known !== undefined) return known
    if (counters.size >= maxKeys && !makeRoom(time)) return overflow
    const counter: Counter = { count: 0, windowEnds: 0, blockedUntil: 0 }
    counters.set(key, counter)
    return counter
  }

  const hit = (key: string, limit: number): Hit => {
    const time = now()
    const counter = counterOf(key, time)
    if (counter.blockedUntil > time) return { blocked: true, retryAfterSeconds: seconds(counter.blockedUntil - time) }
    if (counter.blockedUntil !== 0 || counter.windowEnds <= time) {
      counter.count = 0
      counter.blockedUntil = 0
      counter.windowEnds = time + windowMs
    }
    counter.count++
    if (counter.count <= limit) {
      return { blocked: false, remaining: limit - counter.count, resetSeconds: seconds(counter.windowEnds - time) }
    }
    counter.blockedUntil = time + windowMs
    return { blocked: true, retryAfterSeconds: seconds(windowMs) }
  }
  return { hit }
}
