import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { patientPool, startTcpProxy, startTestPostgres, type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createPool, isTransient, kyselyOn, listen, transaction } from '../src/index.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})

afterAll(() => db.drop())

beforeEach(async () => {
  await db.pool.query('drop table if exists note; create table note (id int8 primary key, text text)')
})

test('int8 arrives as bigint, in pg and in Kysely', async () => {
  await db.pool.query("insert into note values (9007199254740993, 'beyond a double')")
  const rows = await kyselyOn<{ note: { id: bigint; text: string } }>(db.pool).selectFrom('note').selectAll().execute()
  expect(rows).toEqual([{ id: 9007199254740993n, text: 'beyond a double' }])
  expect((await db.pool.query('select id from note')).rows).toEqual([{ id: 9007199254740993n }])
})

test('a transaction commits what it did and returns its result', async () => {
  expect(await transaction(db.pool, async (tx) => (await tx.query("insert into note values (1, 'a') returning text")).rows)).toEqual([
    { text: 'a' },
  ])
  expect((await db.pool.query('select id from note')).rows).toEqual([{ id: 1n }])
})

test('a transaction that throws leaves nothing, gives the error on and its connection back', async () => {
  const failing = transaction(db.pool, async (tx) => {
    await tx.query("insert into note values (1, 'a')")
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  expect((await db.pool.query('select id from note')).rows).toEqual([])
  expect(db.pool.idleCount).toBe(db.pool.totalCount)
})

test('a connection that is cut inside a transaction is a transient error, and the pool goes on', async () => {
  const cut = transaction(db.pool, async (tx) => {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await db.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await tx.query("insert into note values (1, 'a')")
  })
  expect(isTransient(await cut.catch((error: unknown) => error))).toBe(true)
  expect((await db.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('the loss of a connection that is checked out and idle ends no process', async () => {
  const client = await db.pool.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const ended = new Promise((resolve) => client.once('end', resolve))
  await db.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  await ended
  await expect(client.query('select 1')).rejects.toSatisfy(isTransient)
  client.release(true)
})

test('a pool that has ended keeps no process alive for a server that hangs', async () => {
  const holding = () => process.getActiveResourcesInfo().filter((name) => /^(TCPSocket|Pipe)Wrap$/.test(name)).length
  // The other pool closes its own when nothing asks for it.
  const sockets = () => holding() - db.pool.totalCount
  const before = sockets()
  const pool = createPool({ url: db.url, max: 1, name: 'test' })
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const pid = rows[0]?.pid ?? 0
  process.kill(pid, 'SIGSTOP')
  try {
    expect(sockets()).toBe(before + 1)
    await pool.end()
    await until(() => expect(sockets()).toBe(before))
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})

test('a message whose handler throws is reported, and ends neither the process nor the listening', async () => {
  const [received, faults]: [bigint[], unknown[]] = [[], []]
  const onConnected = vi.fn()
  const onMessage = (payload: string): void => void received.push(BigInt(payload))
  const listening = listen({ pool: db.pool, channel: 'numbers', onMessage, onConnected, onFault: (error) => faults.push(error) })
  await until(() => expect(onConnected).toHaveBeenCalledTimes(1))
  for (const payload of ['1', 'not a number', '2']) await db.pool.query("select pg_notify('numbers', $1)", [payload])
  await until(() => expect(received).toHaveLength(2))
  expect({ received, faults }).toEqual({ received: [1n, 2n], faults: [expect.any(SyntaxError)] })
  await listening.stop()
})

test('a listener gets notifications, reconnects when it is cut, and calls onConnected', async () => {
  const received: string[] = []
  const onConnected = vi.fn()
  const listening = listen({ pool: db.pool, channel: 'Notes', onMessage: (payload) => received.push(payload), onConnected })
  await until(() => expect(onConnected).toHaveBeenCalledTimes(1))
  await db.pool.query('select pg_notify($1, $2)', ['Notes', 'one'])
  await until(() => expect(received).toEqual(['one']))
  // The server is that of every test file that runs now.
  await db.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()")
  await until(() => expect(onConnected).toHaveBeenCalledTimes(2))
  await db.pool.query('select pg_notify($1, $2)', ['Notes', 'two'])
  await until(() => expect(received).toEqual(['one', 'two']))
  await listening.stop()
  const left = "select count(*) as n from pg_stat_activity where query like 'listen %' and datname = current_database()"
  await until(async () => expect((await db.pool.query(left)).rows).toEqual([{ n: 0n }]))
})

test('a server that is gone is tried by few, however many ask for it', async () => {
  let tried = 0
  const server = createServer((socket) => {
    tried++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pool = patientPool({ url: `postgres://a:b@127.0.0.1:${(server.address() as AddressInfo).port}/c`, max: 5, name: 'gone' })
  const ask = async () => {
    const answers = await Promise.allSettled(Array.from({ length: 200 }, () => pool.query('select 1')))
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(200)
  }
  await ask()
  expect(tried).toBeLessThanOrEqual(5)
  const before = tried
  for (let round = 1; round <= 4; round++) {
    await setImmediate()
    await ask()
    expect(tried - before).toBe(round)
  }
  await pool.end()
  server.close()
})

/** Messages of the protocol's server (Postgres manual, "Message Formats"). */
const serverMessage = (type: string, ...fields: (string | number)[]): Buffer => {
  const body = Buffer.concat(fields.map((field) => (typeof field === 'string' ? Buffer.from(`${field}\0`) : Buffer.from([0, 0, 0, field]))))
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

test('a server that ends a connection with the very packet that says it is ready ends no process', async () => {
  const ready = Buffer.concat([serverMessage('R', 0), Buffer.from('Z\0\0\0\x05I')])
  const ended = serverMessage('E', 'SFATAL', 'C57P01', 'Mterminating connection due to administrator command', '')
  const server = createServer((socket) => socket.once('data', () => socket.end(Buffer.concat([ready, ended])))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pool = patientPool({ url: `postgres://a:b@127.0.0.1:${(server.address() as AddressInfo).port}/c`, max: 1, name: 'ready' })
  await expect(pool.query('select 1')).rejects.toSatisfy(isTransient)
  await pool.end()
  server.close()
})

test('a pool outlives its server', async () => {
  const server = await startTestPostgres()
  const lost = vi.fn()
  const pool = patientPool({ url: server.url, max: 2, name: 'outlives', onIdleError: lost })
  await pool.query('select 1')
  await server.kill()
  await until(() => expect(lost).toHaveBeenCalled())
  expect(isTransient(await pool.query('select 1').catch((error: unknown) => error))).toBe(true)
  await server.start()
  expect((await pool.query("select current_setting('application_name') as name")).rows).toEqual([{ name: 'outlives' }])
  await pool.end()
  await server.stop()
})

test('a statement that the server knows nothing of is ended, and one that it works on is not, however long it is silent', async () => {
  const { port, pathname, searchParams, username, password } = new URL(db.url)
  const wire = await startTcpProxy(0, `${searchParams.get('host')}/.s.PGSQL.${port || searchParams.get('port')}`)
  const url = `postgres://${username}:${password}@127.0.0.1:${wire.port}${pathname}`
  const pool = createPool({ url, max: 2, name: 'silent', timeoutMs: 60_000, lookMs: 20 })
  const forgotten = await pool.connect()
  const holder = await db.pool.connect()
  await holder.query('select pg_advisory_lock(7)')
  wire.strand()
  const long = pool.query('select pg_advisory_lock(7)')
  const waits = `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
  await until(async () => expect((await db.pool.query(waits)).rowCount).toBe(1))
  const error: unknown = await forgotten.query('select 1').catch((failure: unknown) => failure)
  expect(isTransient(error)).toBe(true)
  expect(String(error)).toContain('knows nothing of its statement')
  forgotten.release(true)
  await holder.query('select pg_advisory_unlock(7)')
  holder.release()
  expect((await long).rowCount).toBe(1)
  await pool.end()
  await wire.close()
})
