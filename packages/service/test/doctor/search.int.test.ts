import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkSearch } from '../../src/doctor/search.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

test('says what is missing for the index of searches, and what to run', async () => {
  const { pool } = database
  expect((await checkSearch({ pool })).mend).toBe('Run `tidings projection rebuild profiles`.')
  await pool.query('create schema elsewhere; alter extension pg_trgm set schema elsewhere')
  expect((await checkSearch({ pool })).mend).toContain(
    '`alter extension pg_trgm set schema public;`, then `tidings projection rebuild profiles`',
  )
  await pool.query('alter extension pg_trgm set schema public; drop extension btree_gin')
  expect((await checkSearch({ pool })).mend).toContain('`create extension btree_gin;`, then `tidings projection rebuild profiles`')
  await pool.query('create table read.t (id int); create index profile_search_trigrams on read.t (id)')
  expect(await checkSearch({ pool })).toEqual({ check: 'search', ok: true, said: 'profiles are found by a trigram index' })
})
