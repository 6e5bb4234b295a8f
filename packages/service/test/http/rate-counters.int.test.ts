import { logTo } from '@tidings/observability/log'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createRateCounters } from '../../src/http/rate-counters.ts'

const log = logTo({ write: () => undefined }, 'silent')
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => db.drop())

test('a process that another one joins counts with it from then on', async () => {
  let [joined, heard] = [false, false]
  const others = async () => {
    heard = joined
    return joined
  }
  const whole = createRateCounters({ pool: db.pool, log, alone: true, others, checkIntervalMs: 10 })
  const part = createRateCounters({ pool: db.pool, log, alone: false, others: null })
  if (whole === null || part === null) throw new Error('both count')
  const rows = async () => (await db.pool.query('select from ops.rate_window')).rowCount
  expect(await whole.key.hit('key', 2)).toMatchObject({ remaining: 1 })
  expect(await rows()).toBe(0)
  joined = true
  await expect.poll(() => heard).toBe(true)
  // Postgres may take as long as it likes: after a second each would count by itself.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await expect.poll(async () => [await whole.key.hit('other', 1_000), await rows()][1]).toBe(1)
  expect(await part.key.hit('key', 2)).toMatchObject({ remaining: 1 })
  expect(await whole.key.hit('key', 2)).toMatchObject({ remaining: 0 })
  expect(await part.key.hit('key', 2)).toMatchObject({ blocked: true })
  vi.useRealTimers()
  await whole.close()
  await part.close()
})

test('a process alone on a database of its own counts in its memory', () => {
  expect(createRateCounters({ pool: db.pool, log, alone: true, others: null })).toBeNull()
})
