import { logTo } from '@tidings/observability/log'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRateCounters } from '../../src/http/rate-counters.ts'

const log = logTo({ write: () => undefined }, 'silent')
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

test('a process that another one joins counts with it from then on', async () => {
  let joined = false
  const whole = createRateCounters({ pool: db.pool, log, alone: true, others: async () => joined, checkIntervalMs: 10 })
  const part = createRateCounters({ pool: db.pool, log, alone: false, others: null })
  if (whole === null || part === null) throw new Error('both count')
  const rows = async () => (await db.pool.query('select from ops.rate_window')).rowCount
  expect(await whole.key.hit('key', 2)).toMatchObject({ remaining: 1 })
  expect(await rows()).toBe(0)
  joined = true
  await expect.poll(async () => [await whole.key.hit('other', 1_000), await rows()][1]).toBe(1)
  expect(await part.key.hit('key', 2)).toMatchObject({ remaining: 1 })
  expect(await whole.key.hit('key', 2)).toMatchObject({ remaining: 0 })
  expect(await part.key.hit('key', 2)).toMatchObject({ blocked: true })
  await whole.close()
  await part.close()
})

test('a process alone on a database of its own counts in its memory', () => {
  expect(createRateCounters({ pool: db.pool, log, alone: true, others: null })).toBeNull()
})
