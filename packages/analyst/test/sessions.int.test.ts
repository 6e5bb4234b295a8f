import { randomBytes } from 'node:crypto'
import { patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import type { Client, Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { endSessions, SESSION_LIMITS, watchSessions } from '../src/run/end-sessions.ts'
import { connectAs, type Login, prepareLogin } from '../src/run/role.ts'

let db: TestDatabase
let login: Login
beforeAll(async () => {
  db = await testDatabase()
  login = await prepareLogin(db.pool, 'analyst_sessions')
})
afterAll(() => db.drop())

const connected = async (): Promise<Client> => {
  const client = await connectAs(db.url, login)
  onTestFinished(() => client.end().catch(() => undefined))
  return client
}
/** A session that is ended answers before it lets its locks go: what ends sessions may see it once more until the server knows it no more. */
const sessionsAre = (count: number): Promise<void> =>
  expect.poll(async () => (await db.pool.query('select from pg_stat_activity where usename = $1', [login.role])).rowCount).toBe(count)
const isAlive = (client: Client): Promise<boolean> =>
  client.query('select 1').then(
    () => true,
    () => false,
  )

/** Every lock of the service that is an advisory one, and one that no code of today takes. */
const LOCKS = [
  `pg_advisory_lock(730511, hashtext('send-email'))`,
  `pg_advisory_lock_shared(730511, hashtext('send-sms'))`,
  'pg_advisory_lock(7305118241)',
  `pg_advisory_lock(hashtextextended('rebuild profiles', 0))`,
  `pg_advisory_lock(hashtextextended('projection profiles', 0))`,
  `pg_advisory_lock(730158, hashtext('example.com'))`,
  'pg_advisory_lock(-1)',
]

test.each(LOCKS)('a session of a projection’s login that holds %s is ended', async (lock) => {
  const [bad, good] = [await connected(), await connected()]
  await good.query(`select pg_advisory_lock(hashtextextended('analyst run analyst_sessions', 0))`)
  await bad.query(`select ${lock}`)
  expect(await endSessions(db.pool)).toEqual([{ ended: true, role: login.role, why: 'lock' }])
  await sessionsAre(1)
  expect([await isAlive(bad), await isAlive(good)]).toEqual([false, true])
})

test('so is one whose schema is gone, and one that lifted the limits of its statements', async () => {
  const limits = { statementSeconds: 0, transactionSeconds: 0 }
  const [schemaless, idle, long] = [await connected(), await connected(), await connected()]
  await schemaless.query('drop schema analyst_sessions cascade; select pg_advisory_lock(7305118241)')
  expect(await endSessions(db.pool)).toEqual([{ ended: true, role: login.role, why: 'lock' }])
  await sessionsAre(2)
  await idle.query('set idle_in_transaction_session_timeout = 0; begin; select 1')
  expect(await endSessions(db.pool, { ...SESSION_LIMITS, transactionSeconds: 0 })).toEqual([
    { ended: true, role: login.role, why: 'transaction' },
  ])
  await sessionsAre(1)
  await long.query('set statement_timeout = 0')
  const running = long.query('select pg_sleep(600)').catch((error: unknown) => error)
  await expect
    .poll(() => endSessions(db.pool, { ...limits, transactionSeconds: 600 }))
    .toEqual([{ ended: true, role: login.role, why: 'statement' }])
  await expect(running).resolves.toMatchObject({ code: '57P01' })
  await sessionsAre(0)
  login = await prepareLogin(db.pool, 'analyst_sessions')
})

test('connections of the service and of strangers keep their locks', async () => {
  const [own, stranger] = [await db.pool.connect(), await strangers()]
  for (const client of [own, stranger]) await client.query('select pg_advisory_lock_shared(7305118241)')
  expect(await endSessions(db.pool, { statementSeconds: 0, transactionSeconds: 0 })).toEqual([])
  await own.query('select pg_advisory_unlock_all()')
  own.release()
})

const strangers = async (): Promise<Pool> => {
  const name = `stranger_${randomBytes(4).toString('hex')}`
  await db.pool.query(`create role ${name} login password 'test'`)
  const url = new URL(db.url)
  url.username = name
  const pool = patientPool({ url: url.href, max: 1, name: 'test-stranger' })
  onTestFinished(() => pool.end())
  return pool
}

test('a send goes on beside a login that takes the lock of its kind again and again', async () => {
  const watching = watchSessions({ pool: db.pool })
  onTestFinished(() => watching.stop())
  for (let n = 0; n < 3; n++) {
    const bad = await connected()
    await bad.query(`select pg_advisory_lock(730511, hashtext('send-email'))`)
    await db.pool.query(`select inbox.lock_kind('send-email')`)
    expect(await isAlive(bad)).toBe(false)
  }
})

test('the login has limits from its first statement, and makes no large object', async () => {
  const client = await connected()
  const shown = async (name: string) => (await client.query<Record<string, string>>(`show ${name}`)).rows[0]?.[name]
  expect([await shown('statement_timeout'), await shown('idle_in_transaction_session_timeout')]).toEqual(['1min', '1min'])
  expect([await shown('temp_file_limit'), await shown('work_mem'), await shown('hash_mem_multiplier')]).toEqual(['5GB', '16MB', '1'])
  expect([await shown('max_parallel_workers_per_gather'), await shown('maintenance_work_mem')]).toEqual(['0', '64MB'])
  // What outgrows its memory goes on in a file.
  const sorted = `select count(*) from (select n from generate_series(1, 400000) n order by md5(n::text) offset 1) s`
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, timing off) ${sorted}`)
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Sort Method: external merge {2}Disk: \d+kB/)
  await expect(client.query(`set temp_file_limit = -1`)).rejects.toMatchObject({ code: '42501' })
  for (const made of ['lo_creat(-1)', 'lo_create(0)', `lo_from_bytea(0, 'x')`, `lo_import('/etc/hostname')`])
    await expect(client.query(`select ${made}`)).rejects.toMatchObject({ code: '42501' })
  await expect(client.query('insert into ops.analyst_role values (current_user, current_user)')).rejects.toMatchObject({ code: '42501' })
})

test('sorted rows beyond the limit of files end the statement, and a file’s SQL cannot lift that', async () => {
  await db.pool.query(`alter role ${login.role} set temp_file_limit = '1MB'`)
  const client = await connected()
  const sorted = 'select n from generate_series(1, 400000) n order by md5(n::text) offset 399999'
  await expect(client.query(sorted)).rejects.toMatchObject({ code: '53400' })
  await expect(client.query('alter role current_user set temp_file_limit = -1')).rejects.toMatchObject({ code: '42501' })
  login = await prepareLogin(db.pool, 'analyst_sessions')
})

test('a login that is no superuser limits the files of its roles where it was granted that', async () => {
  const name = `maker_${randomBytes(4).toString('hex')}`
  await db.pool.query(`create role ${name} login createrole password 'test'`)
  const url = new URL(db.url)
  await db.pool.query(`grant create on database ${url.pathname.slice(1)} to ${name}`)
  url.username = name
  const pool = patientPool({ url: url.href, max: 1, name: 'test-maker' })
  onTestFinished(() => pool.end())
  const limitOf = async (): Promise<string | undefined> => {
    const client = await connectAs(url.href, await prepareLogin(pool, `${name}_one`))
    const { rows } = await client.query<{ temp_file_limit: string }>('show temp_file_limit').finally(() => client.end())
    return rows[0]?.temp_file_limit
  }
  expect(await limitOf()).toBe('-1')
  await db.pool.query(`grant set on parameter temp_file_limit to ${name}`)
  onTestFinished(() => db.pool.query(`revoke set on parameter temp_file_limit from ${name}`).then(() => undefined))
  expect(await limitOf()).toBe('5GB')
})
