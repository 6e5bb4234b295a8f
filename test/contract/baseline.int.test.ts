import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrate } from '@tidings/postgres'
import { patientPool, testDatabase } from '@tidings/testing'
import type { Pool } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { schemaText } from './schema-text.ts'

const MIGRATIONS = new URL('../../deploy/migrations/', import.meta.url)
const { url: server } = inject('testPostgres')

const inDatabase = (name: string): URL => Object.assign(new URL(server), { pathname: `/${name}` })

/** Ends with the test. */
const connected = (url: string): Pool => {
  const pool = patientPool({ url, max: 2, name: 'test' })
  onTestFinished(() => pool.end())
  return pool
}

type EmptyDatabaseOptions = Readonly<{ options?: string; settings?: readonly string[]; owner?: string }>

/** A database that no migration has reached. `reread` connects as who made it, without its settings. */
const anEmptyDatabase = async ({ options = '', settings = [], owner }: EmptyDatabaseOptions) => {
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = patientPool({ url: server, max: 1, name: 'test-admin' })
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`)
    if (owner !== undefined) await admin.query(`drop role ${owner}`)
    await admin.end()
  })
  if (owner !== undefined) await admin.query(`create role ${owner} login password 'test' nosuperuser`)
  await admin.query(`create database ${name} template template0 ${options} ${owner === undefined ? '' : `owner ${owner}`}`)
  for (const setting of settings) await admin.query(`alter database ${name} set ${setting}`)
  const url = inDatabase(name)
  if (owner !== undefined) Object.assign(url, { username: owner, password: 'test' })
  const reread = async (): Promise<Pool> => {
    await admin.query(`alter database ${name} reset all`)
    return connected(inDatabase(name).href)
  }
  return { url: url.href, reread }
}

const shipped = async (): Promise<string> => {
  const db = await testDatabase()
  onTestFinished(() => db.drop())
  return await schemaText(db.pool)
}

test.each<[string, EmptyDatabaseOptions]>([
  ['with the collation of C', { options: `locale_provider libc lc_collate 'C' lc_ctype 'C'` }],
  ['with the collation of Turkish', { options: `locale_provider icu icu_locale 'tr'` }],
  ['of another time zone', { settings: [`timezone to 'Asia/Kathmandu'`, `datestyle to 'SQL, DMY'`, `intervalstyle to 'sql_standard'`] }],
  ['without a search path', { settings: [`search_path to ''`] }],
  ['whose search path is another schema', { settings: ['search_path to elsewhere, public'] }],
  [
    'with other meanings of SQL',
    {
      settings: [
        'transform_null_equals to on',
        'array_nulls to off',
        'check_function_bodies to off',
        `plpgsql.variable_conflict to 'use_column'`,
      ],
    },
  ],
  ['whose transactions are serializable', { settings: [`default_transaction_isolation to 'serializable'`] }],
  ['whose owner is no superuser', { owner: `owner_${randomBytes(6).toString('hex')}` }],
])('the migrations make the same schema in a database %s', async (_, wanted) => {
  const db = await anEmptyDatabase(wanted)
  await migrate(connected(db.url))
  expect(await schemaText(await db.reread())).toBe(await shipped())
})

test('the migrations make the same schema where processes begin them at once, each with its own connection', async () => {
  const db = await anEmptyDatabase({})
  const ran = await Promise.all(Array.from({ length: 4 }, () => migrate(connected(db.url))))
  expect(ran.filter((names) => names.length > 0)).toHaveLength(1)
  expect(await schemaText(await db.reread())).toBe(await shipped())
})

test.each([
  ['fails', 'select 1 / 0'],
  ['loses its connection', 'select pg_terminate_backend(pg_backend_pid())'],
])('the migrations make the same schema where each of them %s before it has ended, and is run again', async (_, end) => {
  const db = await anEmptyDatabase({})
  const folder = await mkdtemp(join(tmpdir(), 'tidings-baseline-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const names = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).sort()
  const run = () => migrate(connected(db.url), pathToFileURL(`${folder}/`))
  for (const name of names) {
    const sql = await readFile(new URL(name, MIGRATIONS), 'utf8')
    await writeFile(join(folder, name), `${sql}; ${end};`)
    await expect(run()).rejects.toThrow(new RegExp(`^The migration ${name} failed: `))
    await writeFile(join(folder, name), sql)
    expect(await run()).toEqual([name])
  }
  expect(await migrate(connected(db.url))).toEqual([])
  expect(await schemaText(await db.reread())).toBe(await shipped())
})
