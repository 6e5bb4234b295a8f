import { createPool } from '@tidings/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPostgres } from '../src/postgres-server.ts'
import { patientPool, type TestDatabase, testDatabase } from '../src/test-database.ts'

let one: TestDatabase
let other: TestDatabase

beforeAll(async () => {
  one = await testDatabase()
  other = await testDatabase()
})

afterAll(async () => {
  await one.drop()
  await other.drop()
})

test('every test database has the migrations and sees nothing of another', async () => {
  await one.pool.query('create table only_here (id int8)')
  const found = await other.pool.query("select to_regclass('only_here') as here, to_regclass('schema_migration')::text as migrations")
  expect(found.rows).toEqual([{ here: null, migrations: 'schema_migration' }])
})

test('a query of a test waits for a connection longer than one of a service', async () => {
  const ofService = createPool({ url: one.url, max: 1, name: 'test' })
  expect(one.pool.options.connectionTimeoutMillis).toBeGreaterThanOrEqual(10 * (ofService.options.connectionTimeoutMillis ?? 0))
  await ofService.end()
})

test('a killed server comes back under the same address with what was committed', async () => {
  const server = await startTestPostgres()
  const pool = patientPool({ url: server.url, max: 1, name: 'test' })
  await pool.query('create table kept as select 1::int8 as id')
  await server.kill()
  await server.start()
  const again = patientPool({ url: server.url, max: 1, name: 'test' })
  expect((await again.query('select id from kept')).rows).toEqual([{ id: 1n }])
  await Promise.all([pool.end(), again.end()])
  await server.stop()
})
