import type { EventLog } from '@tidings/codec'
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

/** The tables that following a log of these steps gives. */
const follow = async (steps: readonly Step[], maxBatch: number) => {
  const { pool } = database
  const log = memoryLog()
  await write(log, steps)
  await forget(pool, projections)
  await runToHead({ pool, log, projections, maxBatch })
  return { log, live: await dump(pool, projections) }
}

const rebuildAll = async (log: EventLog, page: number) => {
  const { pool } = database
  for (const projection of projections) await rebuild({ projection, log, pool, page })
  return await dump(pool, projections)
}

test('rebuilding every projection gives the very tables that following the log gave, whatever the batches', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.constantFrom(1, 3, 2_000), fc.constantFrom(1, 5, 4_000), async (steps, maxBatch, page) => {
      const { log, live } = await follow(steps, maxBatch)
      expect(await rebuildAll(log, page)).toEqual(live)
      await log.close()
    }),
    { numRuns: 9 },
  )
})

test('a batch of one event and a batch of two thousand leave the same tables', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const one = await follow(steps, 1)
      const many = await follow(steps, 2_000)
      expect(many.live).toEqual(one.live)
      await Promise.all([one.log.close(), many.log.close()])
    }),
    { numRuns: 4 },
  )
})
