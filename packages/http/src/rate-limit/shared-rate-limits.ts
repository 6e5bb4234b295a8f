import type { Pool } from 'pg'
import type { RateCounters } from './counters.ts'
import { memoryCounters } from './memory-counters.ts'
import { rateWindows } from './rate-windows.ts'
import { sharedCounters } from './shared-counters.ts'

/** Both buckets of every process on one database. `close` when the app is closed. */
export type SharedRateLimits = Readonly<{ route: RateCounters; key: RateCounters; close: () => Promise<void> }>

const WINDOW_MS = 60_000

/** Counts in Postgres, over all processes that do; `onError` hears when this one has to count by itself for a while. */
export function sharedRateLimits(pool: Pool, onError: (error: unknown) => void, windowMs: number = WINDOW_MS): SharedRateLimits {
  const windows = rateWindows(pool, windowMs)
  const named = (name: string) => sharedCounters({ name, windows, fallback: memoryCounters({ windowMs }), onError })
  let sweeping: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    sweeping = windows.sweep().catch(onError)
  }, windowMs)
  timer.unref()
  return {
    route: named('route'),
    key: named('key'),
    close: async () => {
      clearInterval(timer)
      await sweeping
    },
  }
}
