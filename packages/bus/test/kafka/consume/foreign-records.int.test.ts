import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { setAsideForeignRecords } from '../../../src/kafka/consume/take-messages.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate ops.dead_letter')
})

const record = (from: number, to: number) =>
  setAsideForeignRecords(db.pool, {
    consumer: 'c',
    topic: 't.events',
    partition: 3,
    offsets: Array.from({ length: to - from + 1 }, (_, n) => String(from + n)),
  })
const letters = async () => (await db.pool.query('select reference, attempts, seq, payload, state from ops.dead_letter')).rows

test('a partition has one letter, which counts its foreign records and shows the first offsets', async () => {
  await record(5, 6)
  await record(9, 9)
  expect(await letters()).toEqual([{ reference: 't.events/3', attempts: 3, seq: 9n, payload: '5 6 9', state: 'open' }])
})

test('what is read again is counted once, also where it comes with more', async () => {
  await record(1, 3)
  await record(1, 3)
  await record(2, 5)
  expect(await letters()).toMatchObject([{ attempts: 5, seq: 5n, payload: '1 2 3 4 5' }])
})

test('a flood is a number', async () => {
  for (let n = 0; n < 5; n++) await record(n * 2_000, n * 2_000 + 1_999)
  const [letter] = await letters()
  expect(letter).toMatchObject({ attempts: 10_000, seq: 9_999n })
  expect(letter.payload.split(' ')).toHaveLength(20)
})

test('a letter that was discarded opens again when more comes, and not when the same comes', async () => {
  await record(1, 3)
  await db.pool.query(`update ops.dead_letter set state = 'discarded'`)
  await record(1, 3)
  expect(await letters()).toMatchObject([{ state: 'discarded' }])
  await record(4, 4)
  expect(await letters()).toMatchObject([{ state: 'open', attempts: 4 }])
})
