import { eventDeclarations } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLogInThread } from '../src/log-in-thread.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

test('a log that cannot be opened leaves no connection', async () => {
  const opening = () =>
    openLogInThread({ url: database.url, masterKeys: ['0'.repeat(64)] }, { name: 'unopened', declarations: eventDeclarations })
  for (let n = 0; n < 3; n++) await expect(opening()).rejects.toMatchObject({ name: 'WrongMasterKey' })
  const left = `select count(*)::int4 as left from pg_stat_activity where application_name = 'unopened' and datname = current_database()`
  await expect.poll(async () => (await database.pool.query(left)).rows).toEqual([{ left: 0 }])
})
