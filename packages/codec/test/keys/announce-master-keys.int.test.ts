import { randomUUID } from 'node:crypto'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { announceMasterKeys } from '../../src/keys/announce-master-keys.ts'
import { openMasterKeys } from '../../src/keys/master-keys.ts'
import { postgresKeyStore } from '../../src/keys/postgres-key-store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

test('who holds the keys forgets those that were killed long ago, and no other', async () => {
  const { pool } = database
  const [killed, alive] = [randomUUID(), randomUUID()]
  await pool.query(
    `insert into keys.holder (process, master_key, heard_at)
     values ($1, 'k', clock_timestamp() - interval '11 minutes'), ($2, 'k', clock_timestamp() - interval '9 minutes')`,
    [killed, alive],
  )
  const holder = await announceMasterKeys({ pool, masters: await openMasterKeys(postgresKeyStore(pool), { masterKey: 'ab'.repeat(32) }) })
  const { rows } = await pool.query<{ process: string }>('select process from keys.holder')
  expect(rows).toHaveLength(2)
  expect(rows.map(({ process }) => process)).toContain(alive)
  await holder.stop()
})
