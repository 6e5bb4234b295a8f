import { setImmediate as nextTick } from 'node:timers/promises'
import { patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { RateCounters } from '../../src/rate-limit/counters.ts'
import { type SharedRateLimits, sharedRateLimits } from '../../src/rate-limit/shared-counters.ts'

let database: TestDatabase
let processes: readonly SharedRateLimits[]
let pools: readonly Pool[]
const errors: unknown[] = []
/** No window ends while a test counts, and the store is waited for as long as a busy machine needs. */
const PATIENT = { windowMs: 600_000, timeoutMs: 60_000 }
beforeAll(async () => {
  database = await testDatabase()
  pools = Array.from({ length: 4 }, (_, n) => patientPool({ url: database.url, max: 2, name: `process-${n}` }))
  processes = pools.map((pool) => sharedRateLimits(pool, (error) => errors.push(error), PATIENT))
})
afterAll(async () => {
  for (const { close } of processes) await close()
  for (const pool of pools) await pool.end()
  await database.drop()
})

const counters = (n: number): RateCounters => processes[n % processes.length]?.key ?? { hit: () => Promise.reject(new Error('no process')) }
let keys = 0
const newKey = (): string => `key ${keys++}`

/** Asks in turn until every process refuses; answers how many requests were let through. */
const allowed = async (key: string, limit: number, burst: (round: number) => readonly number[]): Promise<number> => {
  let passed = 0
  const full = new Set<number>()
  for (let round = 0; full.size < processes.length; round++) {
    const who = burst(round).filter((n) => !full.has(n))
    const hits = await Promise.all(who.map((n) => counters(n).hit(key, limit)))
    for (const [index, { blocked }] of hits.entries()) {
      if (blocked) full.add(who[index] ?? 0)
      else passed++
    }
  }
  return passed
}

describe('requests counted over several processes', () => {
  it.each([1, 10, 59, 60, 200, 1_200])('of a limit of %i all pass, and at most 5 %% more', async (limit) => {
    const passed = await allowed(newKey(), limit, () => [0, 1, 2, 3])
    expect(passed).toBeGreaterThanOrEqual(limit)
    expect(passed).toBeLessThanOrEqual(limit * 1.05)
  })

  it('for any caller, however often and in any order', async () => {
    const bursts = fc.array(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), bursts, async (limit, given) => {
        // Whatever is given, everybody asks in the end.
        const passed = await allowed(newKey(), limit, (round) => given[round] ?? [0, 1, 2, 3])
        expect(passed).toBeGreaterThanOrEqual(limit)
        expect(passed).toBeLessThanOrEqual(limit * 1.05)
      }),
      { numRuns: 40 },
    )
    expect(errors).toEqual([])
  })

  it('are answered as one process would answer: what remains, when it begins anew, and when to come back', async () => {
    const key = newKey()
    const { hit } = counters(0)
    // Ten minutes, less what the test itself takes.
    const theRest: number = expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 600)
    expect(await hit(key, 3)).toEqual({ blocked: false, remaining: 2, resetSeconds: theRest })
    expect(await hit(key, 3)).toEqual({ blocked: false, remaining: 1, resetSeconds: theRest })
    expect(await counters(1).hit(key, 3)).toEqual({ blocked: false, remaining: 0, resetSeconds: theRest })
    expect(await hit(key, 3)).toEqual({ blocked: true, retryAfterSeconds: theRest })
    expect(await counters(1).hit(key, 3)).toEqual({ blocked: true, retryAfterSeconds: theRest })
  })

  it('that come together share what is left, first come first served', async () => {
    const key = newKey()
    const hits = await Promise.all(Array.from({ length: 5 }, () => counters(0).hit(key, 3)))
    expect(hits.map((answer) => (answer.blocked ? 'blocked' : answer.remaining))).toEqual([2, 1, 0, 'blocked', 'blocked'])
  })

  it('begin anew when the window has ended, and are forgotten then', async () => {
    const key = newKey()
    const rows = async () => (await database.pool.query('select 1 from ops.rate_window')).rowCount
    await counters(2).hit(key, 1)
    await database.pool.query('update ops.rate_window set ends = 1, blocked = 0')
    expect(await counters(3).hit(key, 1)).toMatchObject({ blocked: false, remaining: 0 })
    await database.pool.query('update ops.rate_window set ends = 1, blocked = 0')
    const short = sharedRateLimits(database.pool, (error) => errors.push(error), { ...PATIENT, windowMs: 20 })
    await expect.poll(rows).toBe(0)
    await short.close()
  })
})

describe('a store that does not answer', () => {
  it('leaves each process to count by itself, and is asked again later', async () => {
    const pool = patientPool({ url: database.url, max: 1, name: 'cut off' })
    const heard: unknown[] = []
    const alone = sharedRateLimits(pool, (error) => heard.push(error))
    const key = newKey()
    await database.pool.query('alter function ops.take_rates rename to take_rates_elsewhere')
    const answers = [await alone.key.hit(key, 2), await alone.key.hit(key, 2), await alone.key.hit(key, 2)]
    await database.pool.query('alter function ops.take_rates_elsewhere rename to take_rates')
    expect(answers.map(({ blocked }) => blocked)).toEqual([false, false, true])
    expect(heard).toHaveLength(1)
    await expect.poll(() => alone.key.hit(newKey(), 2)).toMatchObject({ remaining: 1 })
    await alone.close()
    await pool.end()
  })

  it('is heard where this process stood still until the answer was there', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()]
      const query = () => {
        asked.resolve()
        return answer.promise
      }
      const heard: unknown[] = []
      const limits = sharedRateLimits({ query } as unknown as Pool, (error) => heard.push(error), { timeoutMs: 20 })
      const hit = limits.key.hit(newKey(), 5)
      await asked.promise
      await nextTick()
      // The answer is read in the next turn of the event loop, behind the end of the deadline.
      setImmediate(() => answer.resolve({ rows: [[1, 1, 0, 2, 1n, 60_000n, 0n]] }))
      vi.advanceTimersByTime(20)
      expect(await hit).toMatchObject({ blocked: false, remaining: 3 })
      expect(heard).toEqual([])
      await limits.close()
    } finally {
      vi.useRealTimers()
    }
  })
})
