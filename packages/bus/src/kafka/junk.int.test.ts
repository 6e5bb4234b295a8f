import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { setJunkAside } from './junk.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate ops.dead_letter')
})

const junk = (from: number, to: number) =>
  setJunkAside(db.pool, {
    consumer: 'c',
    topic: 't.events',
    partition: 3,
    offsets: Array.from({ length: to - from + 1 }, (_, n) => String(from + n)),
  })
const letters = async () => (await db.pool.query('select reference, attempts, seq, payload, state from ops.dead_letter')).rows

test('a partition has one letter, which counts its junk and shows where it begins', async () => {
  await junk(5, 6)
  await junk(9, 9)
  expect(await letters()).toEqual([{ reference: 't.events/3', attempts: 3, seq: 9n, payload: '5 6 9', state: 'open' }])
})

test('what is read again is counted once, also where it comes with more', async () => {
  await junk(1, 3)
  await junk(1, 3)
  await junk(2, 5)
  expect(await letters()).toMatchObject([{ attempts: 5, seq: 5n, payload: '1 2 3 4 5' }])
})

test('a flood is a number', async () => {
  for (let n = 0; n < 5; n++) await junk(n * 2_000, n * 2_000 + 1_999)
  const [letter] = await letters()
  expect(letter).toMatchObject({ attempts: 10_000, seq: 9_999n })
  expect(letter.payload.split(' ')).toHaveLength(20)
})

test('a letter that was discarded opens again when more comes, and not when the same comes', async () => {
  await junk(1, 3)
  await db.pool.query(`update ops.dead_letter set state = 'discarded'`)
  await junk(1, 3)
  expect(await letters()).toMatchObject([{ state: 'discarded' }])
  await junk(4, 4)
  expect(await letters()).toMatchObject([{ state: 'open', attempts: 4 }])
})
