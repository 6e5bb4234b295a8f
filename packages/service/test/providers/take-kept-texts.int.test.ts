import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTakingKeptTexts } from '../../src/start-service.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const keep = (key: string, due: string) =>
  db.pool.query(
    `insert into ops.inbound_text (number_key, id_key, is_stop, sealed, due_at) values ($1, $1, false, '', clock_timestamp() + $2::interval)`,
    [key, due],
  )

test('texts are taken when they are due, one round at a time, also after a round that failed', async () => {
  const faults: unknown[] = []
  let rounds = 0
  let atOnce = 0
  let most = 0
  const takeDue = async (): Promise<void> => {
    rounds++
    most = Math.max(most, ++atOnce)
    try {
      if (rounds === 1) throw new Error('the database is away')
      await db.pool.query('delete from ops.inbound_text where due_at <= clock_timestamp()')
    } finally {
      atOnce--
    }
  }
  await keep('one', '0 s')
  await keep('two', '1.5 s')
  await keep('never', '1 hour')
  const taking = startTakingKeptTexts({ pool: db.pool, inbound: { takeDue }, onFault: (error) => faults.push(error) })
  await until(async () => expect((await db.pool.query('select number_key from ops.inbound_text')).rows).toEqual([{ number_key: 'never' }]))
  await taking.stop()
  const before = rounds
  await keep('three', '0 s')
  expect([faults, most, rounds - before]).toEqual([[new Error('the database is away')], 1, 0])
})
