import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@tidings/config'
import { logTo } from '@tidings/observability/log'
import { patientPool, testDatabase } from '@tidings/testing'
import { afterEach, beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { connectDatabase } from '../../src/stores/connect-database.ts'

let dataDir: string
const silent = logTo({ write: () => undefined }, 'silent')

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidings-connect-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

test('the embedded Postgres keeps as much for pages as the operator says', async () => {
  const config = loadConfig({ TIDINGS_DATA_DIR: dataDir, TIDINGS_EMBEDDED_BUFFERS_MB: '48' }, null)
  const database = await connectDatabase(config, silent, 'service')
  const pool = patientPool({ url: database.url, max: 1, name: 'test' })
  try {
    expect((await pool.query('show shared_buffers')).rows).toEqual([{ shared_buffers: '48MB' }])
  } finally {
    await pool.end()
    await database.close()
  }
})

test.each([
  [
    `default_transaction_isolation to 'repeatable read'`,
    "begins a transaction as repeatable read: set default_transaction_isolation to 'read committed'",
  ],
  [`datestyle to 'SQL, DMY'`, 'writes dates as SQL, DMY: set datestyle to ISO'],
])('a database with %s is refused in one sentence, which says how to mend it', async (setting, why) => {
  const db = await testDatabase()
  onTestFinished(() => db.drop())
  const { pathname } = new URL(db.url)
  const config = loadConfig({ TIDINGS_DATABASE_URL: db.url, TIDINGS_MASTER_KEY: '11'.repeat(32) }, null)
  await expect(connectDatabase(config, silent, 'service')).resolves.toMatchObject({ url: db.url })
  await db.pool.query(`alter database ${pathname.slice(1)} set ${setting}`)
  const refusal = new RegExp(`^OperationFailed: The database \\S+${pathname} ${why} for it and its role\\.$`)
  expect(String(await connectDatabase(config, silent, 'service').catch((error: unknown) => error))).toMatch(refusal)
})

test('a database that does not hold every text is refused in one sentence', async () => {
  const { url: server } = inject('testPostgres')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = patientPool({ url: server, max: 1, name: 'test-admin' })
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  await admin.query(`create database ${name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`)
  const { href } = Object.assign(new URL(server), { pathname: `/${name}` })
  const config = loadConfig({ TIDINGS_DATABASE_URL: href, TIDINGS_MASTER_KEY: '11'.repeat(32) }, null)
  await expect(connectDatabase(config, silent, 'command')).rejects.toThrow('holds text as LATIN1: make one with the encoding UTF8.')
})

test.each([
  ['postgres://me:hunter2@127.0.0.1:1/tidings', 'The database 127.0.0.1:1/tidings cannot be used (connect ECONNREFUSED 127.0.0.1:1)'],
  ['postgres://me:hunter2@/tidings?host=/nowhere', 'The database socket/tidings cannot be used (connect ENOENT /nowhere/.s.PGSQL.5432)'],
])('a database that does not answer at %s is one sentence without the password', async (url, sentence) => {
  const config = loadConfig({ TIDINGS_DATABASE_URL: url, TIDINGS_MASTER_KEY: '11'.repeat(32) }, null)
  const advice = 'start it, or correct TIDINGS_DATABASE_URL.'
  expect(String(await connectDatabase(config, silent, 'command').catch((error: unknown) => error))).toBe(
    `OperationFailed: ${sentence}: ${advice}`,
  )
})
