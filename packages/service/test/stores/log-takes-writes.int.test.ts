import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logTakesWrites } from '../../src/stores/open-stores.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

test('a log whose lock is taken is not ready, and says who has it', async () => {
  const ready = logTakesWrites(db.pool)
  await expect(ready()).resolves.toBeUndefined()
  // A dump does this: it is no holder.
  const reader = await db.pool.connect()
  await reader.query(`set application_name = 'a reader'; begin; lock table es.append_lock in access share mode`)
  await expect(ready()).resolves.toBeUndefined()
  const holder = await db.pool.connect()
  await holder.query(`set application_name = 'somebody'; begin; select es.lock()`)
  await expect(ready()).rejects.toThrow(/^nothing can be written: the lock of the log is taken by somebody \(process \d+ of Postgres\)$/)
  await holder.query('rollback; reset application_name')
  await reader.query('rollback; reset application_name')
  for (const client of [holder, reader]) client.release()
  await expect(ready()).resolves.toBeUndefined()
})

test('the advisory lock that any login can take holds no append up', async () => {
  const other = await db.pool.connect()
  await other.query('select pg_advisory_lock(7100001)')
  await expect(logTakesWrites(db.pool)()).resolves.toBeUndefined()
  await db.pool.query(`set lock_timeout = '2s'`)
  const { rows } = await db.pool.query(
    `select verdict from es.append('{s}', '{-1}', '{1}', '{1}', '{0}', array[gen_random_uuid()], '{T}', '{"{}"}', '{"{}"}')`,
  )
  expect(rows).toEqual([{ verdict: 'o' }])
  await other.query('select pg_advisory_unlock_all()')
  other.release()
})
