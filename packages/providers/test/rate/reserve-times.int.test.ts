import { type TestDatabase, testDatabase } from '@tidings/testing'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reserveTimesIn } from '../../src/rate/send-rate.ts'

const SECOND_US = 1_000_000

let db: TestDatabase

beforeEach(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  await db.drop()
})

const nextOf = async (name: string): Promise<number> =>
  Number((await db.pool.query('select next from ops.send_rate where name = $1', [name])).rows[0]?.next)

test('two processes that reserve at once get times one after the other', async () => {
  const other = new pg.Pool({ connectionString: db.url })
  const processes = [db.pool, other].map((pool) => reserveTimesIn(pool, 'sms'))
  await processes[0]?.(30, SECOND_US)
  const begun = await nextOf('sms')
  await Promise.all(processes.flatMap((reserve) => Array.from({ length: 20 }, (_, n) => reserve(n % 3, 1_000))))
  await other.end()
  // Twenty reservations a process of 0, 1 and 2 messages: each moved the row by its own length.
  expect((await nextOf('sms')) - begun).toBe(2 * 19 * 1_000)
})

test('each waits for those before it, and channels do not wait for each other', async () => {
  const sms = reserveTimesIn(db.pool, 'sms')
  expect(await sms(3, 10 * SECOND_US)).toBe(0)
  expect(await sms(1, SECOND_US)).toBeGreaterThan(SECOND_US)
  expect(await reserveTimesIn(db.pool, 'voice')(1, SECOND_US)).toBe(0)
})

test('what was not used is not saved up', async () => {
  const sms = reserveTimesIn(db.pool, 'sms')
  await sms(1, SECOND_US)
  await db.pool.query('update ops.send_rate set next = next - $1', [3_600 * SECOND_US])
  expect(await sms(1, 3_600 * SECOND_US)).toBe(0)
  expect(await sms(1, SECOND_US)).toBeGreaterThan(SECOND_US)
})

test('a clock that went back an hour delays a message by a minute', async () => {
  const sms = reserveTimesIn(db.pool, 'sms')
  await sms(1, SECOND_US)
  await db.pool.query('update ops.send_rate set next = next + $1', [3_600 * SECOND_US])
  expect(await sms(1, SECOND_US)).toBeLessThanOrEqual(60 * SECOND_US)
})
