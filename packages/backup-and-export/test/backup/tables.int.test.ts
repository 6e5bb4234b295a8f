import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { assertSchema } from '../../src/backup/schema.ts'
import { KEPT, LEFT_OUT } from '../../src/backup/tables.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

it('of every table that the migrations make, it is said whether a backup holds it', async () => {
  const { rows } = await db.pool.query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema', 'read') order by 1`,
  )
  expect([...KEPT, ...Object.keys(LEFT_OUT)].sort()).toEqual(rows.map(({ name }) => name).sort())
})

it('a database with a table that is neither kept nor left out is refused', async () => {
  await expect(assertSchema(db.pool)).resolves.toBeUndefined()
  await db.pool.query('create table ops.from_the_future (n int)')
  await expect(assertSchema(db.pool)).rejects.toThrow(
    'The database has ops.from_the_future, which this version of Tidings does not know: use the version that runs on it.',
  )
})

it('a database that lacks a table is refused', async () => {
  await db.pool.query('alter table ops.content rename to elsewhere')
  await expect(assertSchema(db.pool)).rejects.toThrow('The database has no ops.content yet: run `tidings migrate` first.')
})
