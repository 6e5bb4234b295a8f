import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type TestDatabase, testDatabase, UNRELEASED_MIGRATIONS, until } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compareSchema, migrate } from '../src/migrate.ts'

let db: TestDatabase
let folder: string

beforeEach(async () => {
  db = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'tidings-migrations-'))
})

afterEach(async () => {
  await db.drop()
  await rm(folder, { recursive: true })
})

const write = (name: string, sql: string) => writeFile(join(folder, name), sql)
const run = () => migrate(db.pool, pathToFileURL(`${folder}/`))

test('each file runs once, in the order of the names', async () => {
  await write('9002_second.sql', 'insert into first values (2)')
  await write('9001_first.sql', 'create table first (n int); insert into first values (1);')
  await write('README.md', 'not a migration')
  expect(await run()).toEqual(['9001_first.sql', '9002_second.sql'])
  expect(await run()).toEqual([])
  expect((await db.pool.query('select n from first order by n')).rows).toEqual([{ n: 1 }, { n: 2 }])
})

test('it can stop after a file, and go on later', async () => {
  await write('9001_first.sql', 'create table first (n int)')
  await write('9002_second.sql', 'insert into first values (2)')
  expect(await migrate(db.pool, pathToFileURL(`${folder}/`), '9001_first.sql')).toEqual(['9001_first.sql'])
  expect((await db.pool.query('select n from first')).rows).toEqual([])
  expect(await run()).toEqual(['9002_second.sql'])
})

test('processes that migrate at once wait for each other', async () => {
  await write('9001_first.sql', 'select pg_sleep(0.1); create table first (n int)')
  const ran = await Promise.all([run(), run(), run()])
  expect(ran.flat()).toEqual(['9001_first.sql'])
})

test('who writes does not wait behind a file that waits for a long look at the table', async () => {
  await db.pool.query('create table written (n int)')
  await write('9001_first.sql', 'alter table written add column m int')
  const looking = await db.pool.connect()
  await looking.query('begin')
  await looking.query('select from written')
  const migrating = run()
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'alter table%'`
  await until(async () => expect((await db.pool.query(waiting)).rowCount).toBe(1))
  await db.pool.query('insert into written (n) values (1)')
  expect((await db.pool.query('select from public.schema_migration where name = $1', ['9001_first.sql'])).rowCount).toBe(0)
  await looking.query('commit')
  looking.release()
  expect(await migrating).toEqual(['9001_first.sql'])
  expect((await db.pool.query('select n, m from written')).rows).toEqual([{ n: 1, m: null }])
})

test('a file that fails leaves nothing of itself and names itself', async () => {
  await write('9001_first.sql', 'create table first (n int); select 1/0')
  await expect(run()).rejects.toThrow('The migration 9001_first.sql failed: division by zero')
  expect((await db.pool.query("select to_regclass('first') as first")).rows).toEqual([{ first: null }])
  await write('9001_first.sql', 'create table first (n int)')
  expect(await run()).toEqual(['9001_first.sql'])
})

test('a file that changed after it ran is refused', async () => {
  await write('9001_first.sql', 'create table first (n int)')
  await run()
  await write('9001_first.sql', 'create table first (n int8)')
  await expect(run()).rejects.toThrow(
    'The migration 9001_first.sql has changed since this database ran it: restore the file and add a new one.',
  )
})

test('a new file that is numbered below one that ran is refused, and nothing runs', async () => {
  await write('9001_first.sql', 'create table first (n int)')
  await write('9003_third.sql', 'create table third (n int)')
  await run()
  await write('9002_late.sql', 'create table late (n int)')
  await write('9004_fourth.sql', 'create table fourth (n int)')
  await expect(run()).rejects.toThrow(
    'The migration 9002_late.sql is numbered below 9003_third.sql, which this database has run: give it a higher number.',
  )
  expect((await db.pool.query("select to_regclass('late') as late, to_regclass('fourth') as fourth")).rows).toEqual([
    { late: null, fourth: null },
  ])
})

test('a database that a newer version has migrated is left as it is', async () => {
  await write('9001_first.sql', 'create table first (n int)')
  await write('9002_newer.sql', 'create table newer (n int)')
  await run()
  await rm(join(folder, '9002_newer.sql'))
  expect(await run()).toEqual([])
})

test('the shipped migrations have all run in the template that tests copy', async () => {
  expect(await migrate(db.pool)).toEqual([])
})

const UNRELEASED =
  'The database is of an unreleased version of Tidings, whose schema this version does not bring up to date: export its log with the program that made it (`tidings log export`, and `tidings backup` for a copy that only that program restores), or start anew with another data directory or an empty database.'

test.each([
  ['with all that the last build before the baseline ran', UNRELEASED_MIGRATIONS],
  ['that its first migration alone reached', UNRELEASED_MIGRATIONS.slice(0, 1)],
])('a database of an unreleased version is refused in one sentence, and left as it is: one %s', async (_, rows) => {
  await db.pool.query('drop schema es, keys, ops, inbox, webhooks, lists, proof, outbox, read cascade')
  await db.pool.query('truncate public.schema_migration')
  await db.pool.query('insert into public.schema_migration (name, sha256) select * from unnest($1::text[], $2::text[])', [
    rows.map(({ name }) => name),
    rows.map(({ sha256 }) => sha256),
  ])
  await expect(migrate(db.pool)).rejects.toThrow(new Error(UNRELEASED))
  expect((await compareSchema(db.pool)).unreleased).toBe(UNRELEASED)
  const { rows: after } = await db.pool.query('select name, sha256 from public.schema_migration order by name collate "C"')
  expect(after).toEqual(rows)
  expect((await db.pool.query("select to_regnamespace('es') as es")).rows).toEqual([{ es: null }])
})
