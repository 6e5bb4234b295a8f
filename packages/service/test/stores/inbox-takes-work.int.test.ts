import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inboxTakesWork } from '../../src/readiness/checks.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

test('a service whose sends wait for a lock that another login holds is not ready, and says who', async () => {
  const ready = inboxTakesWork(db.pool)
  await expect(ready()).resolves.toBeUndefined()
  const other = await db.pool.connect()
  await other.query(`set application_name = 'somebody'`)
  for (const kind of ['send-email', 'send-marketing-sms']) {
    await other.query('select pg_advisory_lock(730511, hashtext($1))', [kind])
    await expect(ready()).rejects.toThrow(
      new RegExp(`^no ${kind} can be begun: the lock of the kind is taken by somebody \\(process \\d+ of Postgres\\)$`),
    )
    await other.query('select pg_advisory_unlock_all()')
  }
  await other.query('reset application_name')
  other.release()
  await expect(ready()).resolves.toBeUndefined()
})
