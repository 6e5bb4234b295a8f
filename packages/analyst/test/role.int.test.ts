import { randomBytes } from 'node:crypto'
import { patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import pg, { type Client, type Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectAs, prepareLogin } from '../src/run/role.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await db.pool.query('create table read.people (email text)')
  await db.pool.query(`create function public.stolen() returns bigint language sql as 'select count(*) from es.event'`)
})
afterAll(() => db.drop())

/** Another login of the server, and its connections to the database. */
const asLogin = async (rights: string): Promise<Readonly<{ name: string; pool: Pool }>> => {
  const name = `login_${randomBytes(4).toString('hex')}`
  await db.pool.query(`create role ${name} login password 'test' ${rights}`)
  const url = new URL(db.url)
  url.username = name
  const pool = patientPool({ url: url.href, max: 2, name: 'test-login' })
  onTestFinished(() => pool.end())
  return { name, pool }
}

const connected = async (pool: Pool, schema: string): Promise<Client> => {
  const login = await prepareLogin(pool, schema)
  const client = await connectAs(String(pool.options.connectionString), login)
  onTestFinished(() => client.end())
  return client
}

const superuser = async (): Promise<string> => {
  const { rows } = await db.pool.query<{ name: string }>('select current_user as name')
  return pg.escapeIdentifier(rows[0]!.name)
}

const INSUFFICIENT_PRIVILEGE = '42501'

test('the role of a projection cannot take the lock that appends take', async () => {
  const client = await connected(db.pool, 'analyst_locks')
  for (const statement of ['select es.lock()', 'lock table es.append_lock in access share mode', 'lock table es.event in share mode'])
    await expect(client.query(`begin; ${statement}`).finally(() => client.query('rollback'))).rejects.toMatchObject({
      code: INSUFFICIENT_PRIVILEGE,
    })
  await client.query('select pg_advisory_lock(7100001)')
  await db.pool.query('begin; select es.lock(); commit')
})

/** What SQL might try to get out of its schema; `OWNER` is the service's login. */
const attempts: readonly string[] = [
  'select * from es.event',
  'select * from keys.subject_key',
  'select * from read.people',
  'select * from ops.projection_checkpoint',
  'delete from es.event',
  'create view everything as select * from es.event',
  `select count(*) from query_to_xml('select * from keys.subject_key', true, true, '')`,
  `do $$ begin execute 'select * from es.event'; end $$`,
  'select public.stolen()',
  'reset role; select * from es.event',
  'reset session authorization; select * from es.event',
  'set role OWNER',
  'set session authorization OWNER',
  `select set_config('role', 'OWNER', false), (select count(*) from es.event)`,
  'create table mine (); alter table mine owner to OWNER',
  `create function mine() returns bigint security definer language sql as 'select 1'; alter function mine() owner to OWNER`,
  `create function es.mine() returns bigint language sql as 'select 1'`,
  'create table public.mine ()',
  'create table read.mine ()',
  'create schema another',
  'create role another',
  'create database another',
  'alter role current_user superuser',
  'alter role current_user createrole',
  'alter role OWNER password null',
  'grant OWNER to current_user',
  'grant usage on schema es to current_user',
  'grant pg_read_all_data to current_user',
  `copy (select 1) to program 'id'`,
  `copy pg_class to '/tmp/tidings-out'`,
  `select pg_read_file('/etc/passwd')`,
  `select pg_ls_dir('.')`,
  `select lo_import('/etc/passwd')`,
  'select * from pg_authid',
  'select * from pg_shadow',
  `create extension dblink`,
  `create language plpython3u`,
  `alter system set log_statement = 'all'`,
  'create event trigger mine on ddl_command_end execute function mine()',
  'create publication mine for all tables',
  `create subscription mine connection 'dbname=x' publication y`,
  `select pg_terminate_backend(pid) from pg_stat_activity where usename <> current_user`,
]

describe.each(['a superuser', 'a login that may create roles and schemas'])('the role that %s makes', (who) => {
  let client: Client
  let pool: Pool
  const schema = who === 'a superuser' ? 'analyst_one' : 'analyst_two'
  beforeAll(async () => {
    pool = db.pool
    const url = new URL(db.url)
    if (who !== 'a superuser') {
      const name = `maker_${randomBytes(4).toString('hex')}`
      await db.pool.query(`create role ${name} login createrole password 'test'`)
      await db.pool.query(`grant create on database ${pg.escapeIdentifier(url.pathname.slice(1))} to ${name}`)
      url.username = name
      pool = patientPool({ url: url.href, max: 2, name: 'test-maker' })
    } else pool = patientPool({ url: db.url, max: 2, name: 'test-maker' })
    client = await connectAs(url.href, await prepareLogin(pool, schema))
  })
  afterAll(async () => {
    await client.end()
    await pool.end()
  })

  test.each(attempts)('may not: %s', async (attempt) => {
    await expect(client.query(attempt.replaceAll('OWNER', await superuser()))).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE })
  })

  test('has its schema, all of it', async () => {
    await client.query(
      'create table own (n integer primary key, at timestamptz); create index on own (at); insert into own values (1, now())',
    )
    await client.query('create view own_view as select n from own')
    await client.query(
      `create function own_function() returns bigint security definer language sql as 'select count(*) from ${schema}.own'`,
    )
    expect((await client.query('select n, own_function()::int as count from own_view')).rows).toEqual([{ n: 1, count: 1 }])
    const { rows } = await client.query(
      'select session_user = current_user as alone, rolsuper, rolcreaterole from pg_roles where rolname = current_user',
    )
    expect(rows).toEqual([{ alone: true, rolsuper: false, rolcreaterole: false }])
  })

  test('sees no statement of other logins', async () => {
    const { rows } = await client.query('select distinct query from pg_stat_activity where usename <> current_user')
    expect(rows).toEqual([{ query: '<insufficient privilege>' }])
  })

  test('gets a new password with each run, which the database does not know in clear', async () => {
    const again = await prepareLogin(pool, schema)
    const { rows } = await db.pool.query<{ stored: string }>('select rolpassword as stored from pg_authid where rolname = $1', [again.role])
    expect(rows[0]?.stored).toMatch(/^SCRAM-SHA-256\$/)
    const renewed = await connectAs(String(pool.options.connectionString), again)
    await renewed.end()
    await expect(connectAs(String(pool.options.connectionString), { ...again, password: 'test' })).rejects.toThrow(
      'password authentication failed',
    )
  })
})

test('a login that may not create roles is one sentence with what an administrator does, which helps', async () => {
  const { name, pool } = await asLogin('')
  await expect(prepareLogin(pool, 'analyst_three')).rejects.toThrow(`let an administrator run \`alter role "${name}" createrole\`.`)
  await db.pool.query(`alter role ${name} createrole`)
  await expect(prepareLogin(pool, 'analyst_three')).rejects.toThrow(
    /let an administrator run `grant create on database "test_[0-9a-f]+" to "login_/,
  )
  const database = new URL(db.url).pathname.slice(1)
  await db.pool.query(`grant create on database ${pg.escapeIdentifier(database)} to ${name}`)
  await connected(pool, 'analyst_three')
})

test('a role of another login is used when an administrator gives it', async () => {
  const { role } = await prepareLogin(db.pool, 'analyst_five')
  await db.pool.query('drop schema analyst_five')
  const { name, pool } = await asLogin('createrole')
  await db.pool.query(`grant create on database ${pg.escapeIdentifier(new URL(db.url).pathname.slice(1))} to ${name}`)
  await expect(prepareLogin(pool, 'analyst_five')).rejects.toThrow(`run \`grant "${role}" to "${name}" with admin option\`.`)
  await db.pool.query(`grant ${role} to ${name} with admin option`)
  await connected(pool, 'analyst_five')
})

test.each(['read', 'es', 'keys', 'ops', 'public', 'information_schema'])('schema %s is not for a projection', async (schema) => {
  await expect(prepareLogin(db.pool, schema)).rejects.toThrow(`Schema ${schema} was not made by \`projection run\``)
})

test('a role that was given more than its schema is not used', async () => {
  const { role } = await prepareLogin(db.pool, 'analyst_four')
  await db.pool.query(`alter role ${role} bypassrls`)
  await expect(prepareLogin(db.pool, 'analyst_four')).rejects.toThrow('has been given rights beyond its schema')
})
