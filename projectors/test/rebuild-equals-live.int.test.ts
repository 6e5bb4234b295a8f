import { rebuild } from '@tidings/projections'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projections } from '../src/index.ts'
import { histories, type Step } from './histories.ts'
import { memoryLog, write } from './log.ts'
import { dump, forget, runToHead } from './tables.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

afterAll(() => database.drop())

const liveAndRebuilt = async (steps: readonly Step[], pageSizes: Readonly<{ maxBatch: number; page: number }>) => {
  const { pool } = database
  const log = memoryLog()
  await write(log, steps)
  await forget(pool, projections)
  await runToHead({ pool, log, projections, maxBatch: pageSizes.maxBatch })
  const live = await dump(pool, projections)
  for (const projection of projections) await rebuild({ projection, log, pool, page: pageSizes.page })
  const rebuilt = await dump(pool, projections)
  await log.close()
  return { live, rebuilt }
}

test('rebuilding every projection gives the very tables that following the log gave, whatever the batches', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.constantFrom(1, 3, 2_000), fc.constantFrom(1, 5, 4_000), async (steps, maxBatch, page) => {
      const { live, rebuilt } = await liveAndRebuilt(steps, { maxBatch, page })
      expect(rebuilt).toEqual(live)
    }),
    { numRuns: 12 },
  )
})

test('a batch of one event and a batch of two thousand leave the same tables', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const one = await liveAndRebuilt(steps, { maxBatch: 1, page: 4_000 })
      const many = await liveAndRebuilt(steps, { maxBatch: 2_000, page: 4_000 })
      expect(many.live).toEqual(one.live)
    }),
    { numRuns: 5 },
  )
})
