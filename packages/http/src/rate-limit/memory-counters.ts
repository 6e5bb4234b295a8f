import { makeRoom } from './bounded-map.ts'
import type { Hit } from './counters.ts'

/** One window of one key. `blockedUntil` is 0 while it is not blocked; times in ms of `now`. */
type Counter = { count: number; windowEnds: number; blockedUntil: number }

type MemoryCountersOptions = Readonly<{ windowMs?: number; maxKeys?: number; now?: () => number }>

const WINDOW_MS = 60_000
const MAX_KEYS = 100_000

type MemoryCounters = Readonly<{ hit: (key: string, limit: number) => Hit }>

const seconds = (ms: number): number => Math.ceil(ms / 1_000)

/**
 * Counts as @nestjs/throttler does: a window opens with its first request; the request over the limit blocks the key for a whole
 * window from then on, and blocked requests are not counted. There are no timers. At most `maxKeys` counters are kept: the oldest
 * unblocked ones make room, and where all that are looked at are blocked, newcomers share one counter.
 */
export function memoryCounters({ windowMs = WINDOW_MS, maxKeys = MAX_KEYS, now = Date.now }: MemoryCountersOptions = {}): MemoryCounters {
  const counters = new Map<string, Counter>()
  const overflow: Counter = { count: 0, windowEnds: 0, blockedUntil: 0 }

  const counterOf = (key: string, time: number): Counter => {
    const known = counters.get(key)
    if (known !== undefined) return known
    if (!makeRoom(counters, maxKeys, ({ blockedUntil }) => blockedUntil > time)) return overflow
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
