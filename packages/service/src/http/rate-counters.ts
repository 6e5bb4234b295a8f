import { memoryCounters, type RateCounters, type SharedRateLimits, sharedRateLimits } from '@tidings/http'
import type { Log } from '@tidings/log'
import type { Pool } from 'pg'

type Parts = Readonly<{
  pool: Pool
  log: Log
  /** Started without roles: no other process is expected. */
  alone: boolean
  /** Whether another process serves the same data directory; null where that cannot be known. */
  others: (() => Promise<boolean>) | null
  lookMs?: number
}>

const LOOK_MS = 1_000

/** Null where this process counts in its memory for good. */
export const rateCounters = ({ pool, log, alone, others, lookMs }: Parts): SharedRateLimits | null => {
  const onUncounted = (error: unknown) =>
    log.warn({ err: error }, 'the shared rate limits cannot be counted; this process counts by itself')
  const shared = () => sharedRateLimits(pool, onUncounted)
  if (!alone) return shared()
  return others === null ? null : countersShared(shared, others, lookMs)
}

/** In memory until another process is there, then with it. What was counted until then is forgotten. */
const countersShared = (shared: () => SharedRateLimits, others: () => Promise<boolean>, lookMs: number = LOOK_MS): SharedRateLimits => {
  const own = { route: memoryCounters(), key: memoryCounters() }
  let joint: SharedRateLimits | null = null
  let looking = Promise.resolve()
  const look = async () => {
    if (joint === null && (await others())) joint = shared()
  }
  const timer = setInterval(() => {
    looking = look().catch(() => undefined) // Looks again in a second.
  }, lookMs)
  timer.unref()
  const named = (name: 'route' | 'key'): RateCounters => ({ hit: (key, limit) => (joint ?? own)[name].hit(key, limit) })
  return {
    route: named('route'),
    key: named('key'),
    close: async () => {
      clearInterval(timer)
      await looking
      await joint?.close()
    },
  }
}
