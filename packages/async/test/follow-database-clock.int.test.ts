import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { databaseNow, followDatabaseClock } from '../src/database-clock.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const timeOfDatabase = async (): Promise<number> =>
  Number((await db.pool.query('select extract(epoch from clock_timestamp()) * 1000 as ms')).rows[0]?.ms)

it.each([5_000, -5_000])('a process whose machine is %i ms off reads the time of the database', async (off) => {
  const real = Date.now.bind(Date)
  const machine = vi.spyOn(Date, 'now').mockImplementation(() => real() + off)
  const following = await followDatabaseClock(db.pool)
  const before = await timeOfDatabase()
  const now = databaseNow()
  const after = await timeOfDatabase()
  // Half of what an answer may have taken, which is some milliseconds even on a machine that is busy.
  expect(now).toBeGreaterThan(before - 500)
  expect(now).toBeLessThan(after + 500)
  following.stop()
  machine.mockRestore()
})
