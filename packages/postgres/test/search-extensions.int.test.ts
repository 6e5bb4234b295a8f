import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

const MIGRATION = new URL('../../../deploy/migrations/0010_search_extensions.sql', import.meta.url)

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const extensions = async (): Promise<readonly string[]> => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select extname as name from pg_extension where extname in ('pg_trgm', 'btree_gin') order by 1`,
  )
  return rows.map(({ name }) => name)
}

test('the extensions of a search are created where the role may, and left out where it may not', async () => {
  expect(await extensions()).toEqual(['btree_gin', 'pg_trgm'])
  const { pool } = database
  const role = `limited_${randomBytes(6).toString('hex')}`
  await pool.query(`drop extension pg_trgm; drop extension btree_gin; create role ${role}`)
  const sql = await readFile(MIGRATION, 'utf8')
  try {
    await pool.query(`begin; set local role ${role}; ${sql}; commit`)
    expect(await extensions()).toEqual([])
    await pool.query(`do $$ begin execute format('grant create on database %I to ${role}', current_database()); end $$`)
    await pool.query(`begin; set local role ${role}; ${sql}; commit`)
    expect(await extensions()).toEqual(['btree_gin', 'pg_trgm'])
  } finally {
    await pool.query(`drop extension if exists pg_trgm; drop extension if exists btree_gin; drop owned by ${role}; drop role ${role}`)
  }
})
