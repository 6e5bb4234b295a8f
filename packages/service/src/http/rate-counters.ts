import { startTicker } from '@tidings/async'
import { memoryCounters, type RateCounters, type SharedRateLimits, sharedRateLimits } from '@tidings/http'
import type { Log } from '@tidings/observability/log'
import type { Pool } from 'pg'

type RateCountersOptions = Readonly<{
  pool: Pool
  log: Log
  /** Started without roles: no other process is expected. */
  alone: boolean
  /** Whether another process serves the same data directory; null where that cannot be known. */
  others: (() => Promise<boolean>) | null
  /** Whether the database is known to be away. */
  isAway?: (() => boolean) | undefined
  checkIntervalMs?: number
}>

const CHECK_INTERVAL_MS = 1_000

/** Null where no other process can join: this one counts in memory. */
export function createRateCounters({ pool, log, alone, others, isAway, checkIntervalMs }: RateCountersOptions): SharedRateLimits | null {
  const onUncounted = (error: unknown) =>
    log.warn({ err: error }, 'the shared rate limits cannot be counted; this process counts its own requests')
  const shared = () => sharedRateLimits(pool, onUncounted, isAway ? { isAway } : {})
  if (!alone) return shared()
  return others === null ? null : createSwitchingCounters(shared, others, checkIntervalMs)
}

/** Counts in memory until another process serves the data directory, then in the database; the counts until then are dropped. */
const createSwitchingCounters = (
  shared: () => SharedRateLimits,
  others: () => Promise<boolean>,
  checkIntervalMs: number = CHECK_INTERVAL_MS,
): SharedRateLimits => {
  const own = { route: memoryCounters(), key: memoryCounters() }
  let joint: SharedRateLimits | null = null
  const check = async () => {
    if (joint === null && (await others())) joint = shared()
  }
  const ticker = startTicker(checkIntervalMs, () => check().catch(() => undefined)) // The next check comes in a second.
  const named = (name: 'route' | 'key'): RateCounters => ({ hit: (key, limit) => (joint ?? own)[name].hit(key, limit) })
  return {
    route: named('route'),
    key: named('key'),
    close: async () => {
      ticker.stop()
      await ticker.ended()
      await joint?.close()
    },
  }
}
