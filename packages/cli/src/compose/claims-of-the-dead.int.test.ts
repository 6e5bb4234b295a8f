import { createPool } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { releaseClaimsOfTheDead, WORK } from './claims-of-the-dead.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await db.pool.query(
    `insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at, token)
     values ('k', 1, 1, gen_random_uuid(), 'held', clock_timestamp() + interval '1 hour', 1)`,
  )
})
afterAll(() => db.drop())

test('what is held stays held while somebody works on the database, and is free once nobody does', async () => {
  const other = createPool({ url: db.url, max: 1, name: WORK })
  await other.query('select 1')
  expect(await releaseClaimsOfTheDead(db.pool)).toBe(0)
  await other.end()
  expect(await releaseClaimsOfTheDead(db.pool)).toBe(1)
})
