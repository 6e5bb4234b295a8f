import { hash } from 'node:crypto'
import { setImmediate as readWhatCame } from 'node:timers/promises'
import pTimeout, { TimeoutError } from 'p-timeout'
import type { Pool } from 'pg'
import { makeRoom } from './bounded-map.ts'
import type { Hit, RateCounters } from './counters.ts'
import { memoryCounters } from './memory-counters.ts'
import { type Ask, type Grant, type RateWindows, rateWindows } from './rate-windows.ts'

type SharedCountersOptions = Readonly<{
  /** Keeps these counts apart from others in the same store. */
  name: string
  windows: RateWindows
  /** Counts while the store does not answer: every process by itself, with the whole limit. */
  fallback: RateCounters
  /** Hears when the store begins to fail. */
  onError: (error: unknown) => void
  /** Whether the store is known to be away: then it is not asked. */
  isAway?: () => boolean
  /** No request waits longer than that to be counted. Default 1 s. */
  timeoutMs?: number
  /** Monotonic milliseconds. */
  now?: () => number
}>

/** `allowed`: requests that may pass without asking; `spent` of those passed and were not yet reported. Times in ms of `now`. */
type Local = { used: number; allowed: number; spent: number; window: string; ends: number; blockedUntil: number }
type Waiter = Readonly<{ resolve: (hit: Hit) => void; reject: (error: unknown) => void }>
type Waiting = Readonly<{ key: string; limit: number; waiters: Waiter[] }>

const MAX_KEYS = 100_000
const KEYS_A_STATEMENT = 500
/** The store is not asked for so long after a failure. */
const AWAY_MS = 1_000
const TIMEOUT_MS = 1_000

const NEW: Local = { used: 0, allowed: 0, spent: 0, window: '0', ends: 0, blockedUntil: 0 }

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/**
 * Counters of all processes together (N563), with at most 5 % over the limit: a process is granted some requests ahead, which
 * it lets through without asking, and asks for the rest in one statement at a time for everybody who waits. A key that is seen rarely is
 * asked for each time; one that is blocked is refused without asking. When the store fails, `fallback` counts for a second.
 */
function sharedCounters(options: SharedCountersOptions): RateCounters {
  const { name, windows, fallback, onError, isAway = () => false, timeoutMs = TIMEOUT_MS, now = () => performance.now() } = options
  const message = `the shared rate limits did not answer within ${timeoutMs} ms`
  const locals = new Map<string, Local>()
  let waiting = new Map<string, Waiting>()
  let asking = false
  let awayUntil = Number.NEGATIVE_INFINITY
  let failing = false

  /** Where this process stood still, its timers end before it reads the answer that came meanwhile: that is read first. */
  const notAnswered = async (): Promise<never> => {
    await readWhatCame()
    throw new TimeoutError(message)
  }

  const localOf = (key: string): Local => {
    const known = locals.get(key)
    if (known !== undefined) return known
    const local = { ...NEW }
    const time = now()
    if (makeRoom(locals, MAX_KEYS, ({ blockedUntil }) => blockedUntil > time)) locals.set(key, local)
    return local
  }

  const askFor = ({ key, limit, waiters }: Waiting): Ask => {
    const { spent, window, used } = localOf(key)
    // It grants as many ahead as passed so far: a caller that asks once gets nothing, one that asks all the time soon a fortieth of the limit.
    // Hashed: no address and no key hash lies in the table.
    return { key: hash('sha256', `${name} ${key}`, 'hex').slice(0, 32), limit, want: waiters.length, ahead: used, window, spent }
  }

  const settle = ({ key, limit, waiters }: Waiting, grant: Grant, askedAt: number): void => {
    const { granted, ahead, used, window, endsInMs, blockedForMs } = grant
    const local = localOf(key)
    const unspent = window === local.window ? local.allowed : 0
    Object.assign(local, { used, allowed: unspent + ahead, spent: 0, window, ends: askedAt + endsInMs })
    local.blockedUntil = blockedForMs > 0 ? askedAt + blockedForMs : 0
    for (const [index, { resolve }] of waiters.entries()) {
      if (index >= granted) resolve({ blocked: true, retryAfterSeconds: seconds(blockedForMs) })
      else resolve({ blocked: false, remaining: Math.max(0, limit - (used - granted + index + 1)), resetSeconds: seconds(endsInMs) })
    }
  }

  const countAlone = (batch: readonly Waiting[]): void => {
    for (const { key, limit, waiters } of batch) {
      for (const { resolve, reject } of waiters) Promise.resolve(fallback.hit(key, limit)).then(resolve, reject)
    }
  }

  const ask = async (batch: readonly Waiting[]): Promise<void> => {
    const askedAt = now()
    try {
      const taken = windows.take(batch.map(askFor))
      const grants = await pTimeout(taken, { milliseconds: timeoutMs, fallback: () => Promise.race([taken, notAnswered()]) })
      for (const [index, one] of batch.entries()) settle(one, grants[index]!, askedAt)
      failing = false
    } catch (error) {
      awayUntil = now() + AWAY_MS
      if (!failing) onError(error)
      failing = true
      countAlone(batch)
    }
  }

  const flush = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = [...waiting.values()]
      waiting = new Map()
      for (let from = 0; from < batch.length; from += KEYS_A_STATEMENT) await ask(batch.slice(from, from + KEYS_A_STATEMENT))
    }
    asking = false
  }

  const askLater = (key: string, limit: number): Promise<Hit> => {
    const { promise, resolve, reject } = Promise.withResolvers<Hit>()
    const waiter = { resolve, reject }
    const same = waiting.get(key)
    if (same === undefined) waiting.set(key, { key, limit, waiters: [waiter] })
    else same.waiters.push(waiter)
    if (!asking) {
      asking = true
      setImmediate(flush)
    }
    return promise
  }

  return {
    hit: (key, limit) => {
      const time = now()
      const local = locals.get(key)
      if (local !== undefined && local.blockedUntil > time) return { blocked: true, retryAfterSeconds: seconds(local.blockedUntil - time) }
      if (local !== undefined && local.allowed > 0 && local.ends > time) {
        local.allowed--
        local.spent++
        local.used++
        return { blocked: false, remaining: Math.max(0, limit - local.used), resetSeconds: seconds(local.ends - time) }
      }
      return time < awayUntil || isAway() ? fallback.hit(key, limit) : askLater(key, limit)
    },
  }
}

/** Both buckets of every process on one database. `close` when the app is closed. */
export type SharedRateLimits = Readonly<{ route: RateCounters; key: RateCounters; close: () => Promise<void> }>

const WINDOW_MS = 60_000

type SharedRateLimitsOptions = Pick<SharedCountersOptions, 'timeoutMs' | 'isAway'> & Readonly<{ windowMs?: number }>

/** Counts in Postgres, over all processes that do; `onError` hears when this one has to count by itself for a while. */
export function sharedRateLimits(pool: Pool, onError: (error: unknown) => void, options: SharedRateLimitsOptions = {}): SharedRateLimits {
  const { windowMs = WINDOW_MS, ...times } = options
  const windows = rateWindows(pool, windowMs)
  const named = (name: string) => sharedCounters({ name, windows, fallback: memoryCounters({ windowMs }), onError, ...times })
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
