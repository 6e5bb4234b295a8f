import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog } from '@tidings/codec'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listParked, partInThread, RebuildRefused, rebuild } from '../src/index.ts'
import {
  accountsProjection,
  mendedProjection,
  nextVersion,
  oneAccountEach,
  REFUSED_BY_FOLD,
  REFUSED_BY_POSTGRES,
  stoppingProjection,
} from './accounts.ts'
import { accountStream, balances, bankLog, closed, deposited, forget, opened, run, until, untilAtHead, write } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

/** `count` accounts with a deposit each. */
const manyAccounts = async (log: EventLog, count: number): Promise<readonly string[]> => {
  const ids = Array.from({ length: count }, () => randomUUID())
  for (const id of ids) await write(log, id, opened(id), deposited(id, 1))
  return ids
}

const names = async (): Promise<readonly string[]> => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'read'::regnamespace and relname like 'account%' order by 1`,
  )
  return rows.map(({ name }) => name)
}

test('a rebuild under live load loses no event and counts none twice', async () => {
  const { pool } = database
  const log = bankLog()
  const ids = await manyAccounts(log, 40)
  const running = run({ pool, log, maxBatch: 20 })
  let written = 0
  let rebuilding = true
  const load = (async () => {
    for (let n = 0; rebuilding; n++) {
      const id = ids[n % ids.length]!
      await write(log, id, deposited(id, 1))
      written++
      if (n % 5 === 0) await sleep(5)
    }
  })()
  for (let n = 0; n < 3; n++) await rebuild({ projection: accountsProjection, log, pool, page: 25 })
  rebuilding = false
  await load
  await untilAtHead(running, log)
  await running.stop()
  const { accounts, total } = await balances(pool)
  const deposits = accounts.reduce((sum, line) => sum + Number(line.split(' ')[2]), 0)
  expect({ total, deposits }).toEqual({ total: 40n, deposits: 40 + written })
  expect(await names()).toEqual(['account_totals', 'account_totals_pkey', 'accounts', 'accounts_owner', 'accounts_pkey'])
})

test('the live owner goes on with the rebuilt tables, not with the images it had', async () => {
  const { pool } = database
  const log = bankLog()
  const [id] = (await manyAccounts(log, 1)) as [string]
  const running = run({ pool, log })
  await untilAtHead(running, log)
  await pool.query('update read.accounts set balance = 1000')
  await rebuild({ projection: accountsProjection, log, pool })
  expect((await balances(pool)).accounts).toEqual([`${id} 1 1`])
  await write(log, id, deposited(id, 1))
  await untilAtHead(running, log)
  await running.stop()
  expect((await balances(pool)).accounts).toEqual([`${id} 2 2`])
})

test('a rebuild works where nothing was ever built, and drops rows that the log does not explain', async () => {
  const { pool } = database
  const log = bankLog()
  const [first, second] = (await manyAccounts(log, 2)) as [string, string]
  await write(log, second, closed(second))
  const progress: number[] = []
  await rebuild({ projection: accountsProjection, log, pool, page: 2, onProgress: ({ events }) => progress.push(events) })
  expect(await balances(pool)).toEqual({ accounts: [`${first} 1 1`], total: 1n })
  expect(progress).toEqual([2, 4, 5])
  await pool.query(`insert into read.accounts select workspace_id, $1, owner, 5, 5, opened_at, 0, 0 from read.accounts`, [randomUUID()])
  await rebuild({ projection: accountsProjection, log, pool })
  expect(await balances(pool)).toEqual({ accounts: [`${first} 1 1`], total: 1n })
})

test('cancelled, a rebuild leaves the live tables as they are, and can be run again', async () => {
  const { pool } = database
  const log = bankLog()
  await manyAccounts(log, 10)
  const running = run({ pool, log })
  await untilAtHead(running, log)
  const before = await balances(pool)
  const cancel = new AbortController()
  const cancelled = rebuild({ projection: accountsProjection, log, pool, page: 3, signal: cancel.signal, onProgress: () => cancel.abort() })
  await expect(cancelled).rejects.toThrow('aborted')
  expect(await balances(pool)).toEqual(before)
  expect((await names()).filter((name) => name.includes('__next'))).toEqual([])
  await rebuild({ projection: accountsProjection, log, pool })
  expect(await balances(pool)).toEqual(before)
  await running.stop()
})

test('what a killed rebuild left behind does not disturb the next', async () => {
  const { pool } = database
  const log = bankLog()
  const [id] = (await manyAccounts(log, 1)) as [string]
  await pool.query('create table read.accounts__next (leftover int)')
  await rebuild({ projection: accountsProjection, log, pool })
  expect((await balances(pool)).accounts).toEqual([`${id} 1 1`])
})

test('a second rebuild of the same projection is refused while the first runs', async () => {
  const { pool } = database
  const log = bankLog()
  await manyAccounts(log, 4)
  const second = Promise.withResolvers<unknown>()
  let asked = false
  const onProgress = () => {
    if (!asked) second.resolve(rebuild({ projection: accountsProjection, log, pool }).catch((error: unknown) => error))
    asked = true
  }
  // The first does not read on, so is not through, before the second has its answer.
  const pages: EventLog['pages'] = async function* (...from) {
    for await (const page of log.pages(...from)) {
      yield page
      await second.promise
    }
  }
  await rebuild({ projection: accountsProjection, log: { ...log, pages }, pool, page: 1, onProgress })
  expect(await second.promise).toBeInstanceOf(RebuildRefused)
})

test.each([
  ['in one page', 2_000],
  ['in pages of three events', 3],
])('a rebuild parks what Postgres refuses, read %s, and nothing else', async (_, page) => {
  const { pool } = database
  const log = bankLog()
  const [good, bad, late] = (await manyAccounts(log, 3)).toSorted() as [string, string, string]
  await write(log, bad, deposited(bad, REFUSED_BY_POSTGRES))
  for (let n = 0; n < 10; n++) await write(log, good, deposited(good, 1))
  await write(log, bad, deposited(bad, 1))
  await write(log, late, deposited(late, REFUSED_BY_FOLD))
  const wanted = { accounts: [`${good} 11 11`, `${bad} 1 1`, `${late} 1 1`], total: 3n }
  const parked = [
    { stream: accountStream(bad), revision: 2, eventType: 'MoneyDeposited' },
    { stream: accountStream(late), revision: 2 },
  ]
  const running = run({ pool, log })
  await untilAtHead(running, log)
  expect(await balances(pool)).toEqual(wanted)
  expect(await rebuild({ projection: accountsProjection, log, pool, page })).toMatchObject({ parked: 2 })
  expect(await balances(pool)).toEqual(wanted)
  expect(await listParked(pool)).toMatchObject(parked)
  // What comes after is followed, and what is parked stays so.
  await write(log, good, deposited(good, 1))
  await write(log, bad, deposited(bad, 1))
  await untilAtHead(running, log)
  await running.stop()
  expect((await balances(pool)).accounts).toEqual([`${good} 12 12`, `${bad} 1 1`, `${late} 1 1`])
  expect((await names()).filter((name) => name.includes('__next'))).toEqual([])
})

test('a rebuild parks what a unique index refuses', async () => {
  const { pool } = database
  const log = bankLog()
  const [first, second] = [randomUUID(), randomUUID()]
  await write(log, first, opened(first, 'Ann'))
  await write(log, second, opened(second, 'Ann'), deposited(second, 1))
  expect(await rebuild({ projection: oneAccountEach, log, pool })).toMatchObject({ parked: 1 })
  expect(await balances(pool)).toEqual({ accounts: [`${first} 0 0`], total: 1n })
  expect(await listParked(pool)).toMatchObject([{ stream: accountStream(second), revision: 0 }])
})

test('a rebuild of money ends where Postgres refuses', async () => {
  const { pool } = database
  const log = bankLog()
  const [id] = (await manyAccounts(log, 1)) as [string]
  await write(log, id, deposited(id, REFUSED_BY_POSTGRES))
  await expect(rebuild({ projection: stoppingProjection, log, pool })).rejects.toMatchObject({ code: '22003' })
  expect(await names()).toEqual([])
})

test('a rebuild parks what the fold refuses, and frees what a mended fold applies', async () => {
  const { pool } = database
  const log = bankLog()
  const [good, bad] = (await manyAccounts(log, 2)) as [string, string]
  await write(log, bad, deposited(bad, REFUSED_BY_FOLD))
  await write(log, good, deposited(good, 1))
  await write(log, bad, deposited(bad, 1))
  expect(await rebuild({ projection: accountsProjection, log, pool })).toMatchObject({ parked: 1 })
  expect((await balances(pool)).accounts.toSorted()).toEqual([`${good} 2 2`, `${bad} 1 1`].toSorted())
  expect(await listParked(pool)).toMatchObject([{ stream: accountStream(bad), revision: 2 }])
  expect(await rebuild({ projection: mendedProjection, log, pool })).toMatchObject({ parked: 0 })
  expect(await listParked(pool)).toEqual([])
})

test('a new version is built beside the old one, which stands aside when it is there', async () => {
  const { pool } = database
  const log = bankLog()
  const [id] = (await manyAccounts(log, 1)) as [string]
  const old = run({ pool, log })
  await untilAtHead(old, log)
  const next = run({ pool, log, projection: nextVersion })
  await until(() => old.progress.of('accounts')?.state === 'superseded')
  await until(() => next.progress.of('accounts')?.state === 'live')
  await write(log, id, deposited(id, 1))
  await untilAtHead(next, log)
  await Promise.all([old.stop(), next.stop()])
  expect((await balances(pool)).accounts).toEqual([`${id} 2 2`])
  expect((await pool.query('select version from ops.projection_checkpoint')).rows).toEqual([{ version: 2 }])
})

test('a new version whose thread dies is built without threads, not begun in them again and again', async () => {
  const { pool } = database
  const log = bankLog()
  const [id] = (await manyAccounts(log, 1)) as [string]
  const old = run({ pool, log })
  await untilAtHead(old, log)
  await old.stop()
  const threads = () => ({ count: 2, leastEvents: 0, start: partInThread(new URL('data:text/javascript,process.exit(7)'), null) })
  const next = run({ pool, log, projection: { ...nextVersion, byStream: 'account' }, threads })
  await until(() => next.progress.of('accounts')?.state === 'live')
  await next.stop()
  expect(next.failures).toEqual([expect.any(RebuildRefused)])
  expect((await balances(pool)).accounts).toEqual([`${id} 1 1`])
})

test('a new version is built by one of the processes that start, and the others wait for it', async () => {
  const { pool } = database
  const log = bankLog()
  const [id] = (await manyAccounts(log, 1)) as [string]
  const old = run({ pool, log })
  await untilAtHead(old, log)
  await old.stop()
  let built = 0
  const gate = Promise.withResolvers<void>()
  const pages: EventLog['pages'] = async function* (...from) {
    built++
    await gate.promise
    yield* log.pages(...from)
  }
  const young = ['one', 'two', 'three'].map((owner) => run({ pool, log: { ...log, pages }, projection: nextVersion, owner }))
  const states = () => young.map(({ progress }) => progress.of('accounts')?.state)
  await until(() => !states().includes(undefined))
  gate.resolve()
  await until(() => states().toSorted().join() === 'live,waiting,waiting')
  expect(built).toBe(1)
  await write(log, id, deposited(id, 1))
  await untilAtHead(young, log)
  await Promise.all(young.map(({ stop }) => stop()))
  expect((await balances(pool)).accounts).toEqual([`${id} 2 2`])
})

test('what others may do with the live tables they may do with those that a rebuild puts in their place', async () => {
  const { pool } = database
  const log = bankLog()
  await manyAccounts(log, 3)
  const running = run({ pool, log })
  await untilAtHead(running, log)
  await running.stop()
  const role = `reader_${randomUUID().slice(0, 8)}`
  await pool.query(`create role ${role}`)
  try {
    await pool.query(`grant select on read.accounts to ${role}`)
    await rebuild({ projection: accountsProjection, log, pool })
    const { rows } = await pool.query(
      `select has_table_privilege($1, 'read.accounts', 'select') as reads, has_table_privilege($1, 'read.accounts', 'insert') as writes`,
      [role],
    )
    expect(rows).toEqual([{ reads: true, writes: false }])
  } finally {
    await pool.query(`drop owned by ${role}; drop role ${role}`)
  }
})
