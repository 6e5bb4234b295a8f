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

const HOUR = 3_600_000
/** Half of what an answer may take on a machine that is busy. */
const ON_ITS_WAY = 60_000

it.each([HOUR, -HOUR])('a process whose machine is %i ms off reads the time of the database', async (off) => {
  const real = Date.now.bind(Date)
  const machine = vi.spyOn(Date, 'now').mockImplementation(() => real() + off)
  const following = await followDatabaseClock(db.pool)
  const before = await timeOfDatabase()
  const now = databaseNow()
  const after = await timeOfDatabase()
  expect(now).toBeGreaterThan(before - ON_ITS_WAY)
  expect(now).toBeLessThan(after + ON_ITS_WAY)
  following.stop()
  machine.mockRestore()
})
