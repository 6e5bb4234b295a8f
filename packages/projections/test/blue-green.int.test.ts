import { randomUUID } from 'node:crypto'
import type { EventLog } from '@tidings/codec'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  diffProjection,
  dropBeside,
  dropExpired,
  listParked,
  rebuild,
  rebuildBeside,
  swapBack,
  swapNext,
  tablesBeside,
} from '../src/index.ts'
import { accountsProjection, mendedProjection, nextVersion, REFUSED_BY_FOLD, stoppingProjection, widerVersion } from './accounts.ts'
import { accountStream, balances, bankLog, closed, deposited, forget, opened, run, until, untilAtHead, write } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

const projection = accountsProjection
const ANN = '0192f0c1-0000-7000-8000-0000000000aa'
const BOB = '0192f0c1-0000-7000-8000-0000000000bb'
const CAT = '0192f0c1-0000-7000-8000-0000000000cc'

const relations = async (): Promise<readonly string[]> => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'read'::regnamespace and relname like 'account%' order by 1`,
  )
  return rows.map(({ name }) => name)
}
const LIVE = ['account_totals', 'account_totals_pkey', 'accounts', 'accounts_owner', 'accounts_pkey']
const OLD = ['account_totals__old', 'account_totals__old_pkey', 'accounts__old', 'accounts__old_owner', 'accounts__old_pkey']

/** Ann has 1 and Bob 2, and a process keeps the tables up to date. */
const bank = async (log: EventLog = bankLog()) => {
  await write(log, ANN, opened(ANN), deposited(ANN, 1))
  await write(log, BOB, opened(BOB), deposited(BOB, 2))
  const running = run({ pool: database.pool, log })
  await untilAtHead(running, log)
  return { pool: database.pool, log, running }
}

const diffOf = async (log: EventLog, values = false) => {
  const { tables } = await diffProjection({ projection, log, pool: database.pool, first: 10, values })
  return tables.find(({ table }) => table === 'accounts')
}

test('tables that are built beside do not serve, and are the same as the live ones, wherever those are by now', async () => {
  const { pool, log, running } = await bank()
  await rebuildBeside({ projection, log, pool })
  expect(await diffOf(log)).toMatchObject({ equal: 2, onlyLive: 0, onlyNext: 0, different: 0, first: [] })
  await write(log, CAT, opened(CAT))
  await write(log, ANN, deposited(ANN, 5), closed(BOB))
  await untilAtHead(running, log)
  expect((await balances(pool)).accounts).toEqual([`${ANN} 6 2`, `${CAT} 0 0`])
  const { position, versions, tables } = await diffProjection({ projection, log, pool, first: 10, values: false })
  expect(tables.map(({ table, equal, different }) => [table, equal, different])).toEqual([
    ['accounts', 2, 0],
    ['account_totals', 1, 0],
  ])
  expect({ position, versions }).toEqual({ position: await log.head(), versions: { live: 1, next: 1 } })
  await running.stop()
})

test('what differs is counted and shown by key; what the columns hold is shown only when it is asked for', async () => {
  const { pool, log, running } = await bank()
  await write(log, CAT, opened(CAT, 'Cat'))
  await untilAtHead(running, log)
  await rebuildBeside({ projection, log, pool })
  await pool.query(`update read.accounts set balance = 7, owner = 'Eve' where id = $1`, [ANN])
  await pool.query('delete from read.accounts where id = $1', [BOB])
  const extra = randomUUID()
  await pool.query(`insert into read.accounts select workspace_id, $1, owner, 5, 5, opened_at, 0, 0 from read.accounts where id = $2`, [
    extra,
    CAT,
  ])
  const counts = { equal: 1, onlyLive: 1, onlyNext: 1, different: 1 }
  const rows = [
    { key: { id: ANN }, in: 'both', columns: ['owner', 'balance'] },
    { key: { id: BOB }, in: 'next', columns: [] },
    { key: { id: extra }, in: 'live', columns: [] },
  ]
  const hidden = await diffOf(log)
  expect(hidden).toMatchObject(counts)
  expect(hidden?.first).toHaveLength(3)
  expect(hidden?.first).toEqual(
    expect.arrayContaining(rows.map((row) => expect.objectContaining({ ...row, key: expect.objectContaining(row.key) }))),
  )
  expect(JSON.stringify(hidden)).not.toContain('Eve')
  const shown = await diffOf(log, true)
  expect(shown?.first.find(({ in: where }) => where === 'both')).toMatchObject({
    live: { owner: 'Eve', balance: 7 },
    next: { owner: 'Ann', balance: 1 },
  })
  await running.stop()
})

test('swapped in and back again, the tables hold everything that was appended, and the owner goes on with them', async () => {
  const { pool, log, running } = await bank()
  await pool.query('update read.accounts set balance = 1000 where id = $1', [ANN])
  await rebuildBeside({ projection, log, pool })
  await write(log, BOB, deposited(BOB, 1))
  await swapNext({ projection, log, pool })
  expect((await balances(pool)).accounts).toEqual([`${ANN} 1 1`, `${BOB} 3 2`])
  expect(await relations()).toEqual([...LIVE, ...OLD].toSorted())
  await write(log, BOB, deposited(BOB, 1))
  await write(log, CAT, opened(CAT))
  await untilAtHead(running, log)
  await until(async () => (await balances(pool)).accounts.length === 3)
  await swapBack({ projection, log, pool })
  expect((await balances(pool)).accounts).toEqual([`${ANN} 1000 1`, `${BOB} 4 3`, `${CAT} 0 0`])
  await write(log, BOB, deposited(BOB, 1))
  await until(async () => (await balances(pool)).accounts.includes(`${BOB} 5 4`))
  await swapBack({ projection, log, pool })
  expect((await balances(pool)).accounts).toEqual([`${ANN} 1 1`, `${BOB} 5 4`, `${CAT} 0 0`])
  expect(await relations()).toEqual([...LIVE, ...OLD].toSorted())
  await running.stop()
})

test('a second swap keeps the tables of the first one, and drops those of before', async () => {
  const { pool, log, running } = await bank()
  for (const balance of [10, 20]) {
    await pool.query('update read.accounts set balance = $1', [balance])
    await rebuildBeside({ projection, log, pool })
    await swapNext({ projection, log, pool })
  }
  await swapBack({ projection, log, pool })
  expect((await balances(pool)).accounts).toEqual([`${ANN} 20 1`, `${BOB} 20 1`])
  await running.stop()
})

test('parked streams go with the tables that could not apply them', async () => {
  const { pool, log, running } = await bank()
  await write(log, 'poison', deposited(ANN, REFUSED_BY_FOLD))
  await untilAtHead(running, log)
  await until(async () => (await listParked(pool)).length === 1)
  const before = await listParked(pool)
  await running.stop()
  await rebuildBeside({ projection: mendedProjection, log, pool })
  await swapNext({ projection: mendedProjection, log, pool })
  expect(await listParked(pool)).toEqual([])
  expect(await swapBack({ projection, log, pool })).toMatchObject({ parked: 1 })
  expect(await listParked(pool)).toEqual(before)
})

test('an event that is refused on the way parks its stream, and only that, whenever it comes', async () => {
  const { pool, log, running } = await bank()
  await write(log, 'poison', deposited(ANN, REFUSED_BY_FOLD))
  await rebuildBeside({ projection, log, pool })
  await write(log, 'later', deposited(ANN, REFUSED_BY_FOLD))
  await write(log, 'poison', deposited(ANN, 50))
  await write(log, ANN, deposited(ANN, 4))
  expect(await swapNext({ projection, log, pool, page: 1 })).toMatchObject({ parked: 2 })
  expect((await listParked(pool)).map(({ stream }) => stream).toSorted()).toEqual([accountStream('later'), accountStream('poison')])
  expect((await balances(pool)).accounts).toEqual([`${ANN} 5 2`, `${BOB} 2 1`])
  await running.stop()
})

test('a projection of money is not swapped where an event cannot be applied: the live tables stay', async () => {
  const { pool, log, running } = await bank()
  await rebuildBeside({ projection: stoppingProjection, log, pool })
  await running.stop()
  await write(log, ANN, deposited(ANN, REFUSED_BY_FOLD))
  await expect(swapNext({ projection: stoppingProjection, log, pool })).rejects.toThrow('no such amount')
  expect((await balances(pool)).accounts).toEqual([`${ANN} 1 1`, `${BOB} 2 1`])
})

test('the tables of a new version are compared by the columns that both have, and swapped by the program that built them', async () => {
  const { pool, log, running } = await bank()
  await rebuildBeside({ projection: widerVersion, log, pool })
  const { versions, tables } = await diffProjection({ projection: widerVersion, log, pool, first: 5, values: false })
  expect(versions).toEqual({ live: 1, next: 2 })
  expect(tables[0]).toMatchObject({ equal: 2, different: 0, columns: { onlyLive: [], onlyNext: ['note'] } })
  await expect(swapNext({ projection, log, pool })).rejects.toThrow('run the command with the program that built them')
  await swapNext({ projection: widerVersion, log, pool })
  await until(() => running.progress.of('accounts')?.state === 'superseded')
  await expect(swapBack({ projection: widerVersion, log, pool })).rejects.toThrow('are of version 1, and this program writes version 2')
  await write(log, ANN, deposited(ANN, 1))
  await swapBack({ projection, log, pool })
  await untilAtHead(running, log)
  expect((await balances(pool)).accounts).toEqual([`${ANN} 2 2`, `${BOB} 2 1`])
  await running.stop()
})

test('a program of before an upgrade does not take it back by a swap', async () => {
  const { pool, log, running } = await bank()
  await running.stop()
  await rebuildBeside({ projection, log, pool })
  await pool.query('update ops.projection_checkpoint set version = 2')
  await expect(swapNext({ projection, log, pool })).rejects.toThrow("newer than this program's 1")
})

test('a start with a new version takes the tables that were built beside, and those of before are kept', async () => {
  const { pool, log, running } = await bank()
  await running.stop()
  await rebuildBeside({ projection: nextVersion, log, pool })
  await pool.query(`update read.accounts__next set owner = 'built before the start'`)
  await write(log, ANN, deposited(ANN, 1))
  const upgraded = run({ pool, log, projection: nextVersion })
  await untilAtHead(upgraded, log)
  expect((await balances(pool)).accounts).toEqual([`${ANN} 2 2`, `${BOB} 2 1`])
  expect((await pool.query('select distinct owner from read.accounts')).rows).toEqual([{ owner: 'built before the start' }])
  expect(await relations()).toEqual([...LIVE, ...OLD].toSorted())
  await upgraded.stop()
})

test('a rebuild drops what was built beside', async () => {
  const { pool, log, running } = await bank()
  await rebuildBeside({ projection, log, pool })
  await rebuild({ projection, log, pool })
  expect(await relations()).toEqual(LIVE)
  await expect(swapNext({ projection, log, pool })).rejects.toThrow('run `tidings projection rebuild accounts --beside` first')
  await expect(diffProjection({ projection, log, pool, first: 1, values: false })).rejects.toThrow('rebuild accounts --beside')
  await running.stop()
})

test('live tables that stand still behind those beside cannot be compared', async () => {
  const { pool, log, running } = await bank()
  await running.stop()
  await write(log, ANN, deposited(ANN, 1))
  await rebuildBeside({ projection, log, pool })
  const options = { projection, log, pool, first: 1, values: false, liveWaitMs: 100 }
  await expect(diffProjection(options)).rejects.toThrow('start the service')
})

test('tables beside that do not hold the log up to a position are dropped at once, and those that do stay', async () => {
  const { pool, log, running } = await bank()
  await rebuildBeside({ projection, log, pool })
  await swapNext({ projection, log, pool })
  await rebuildBeside({ projection, log, pool })
  expect(await dropBeside(pool, [], await write(log, ANN, deposited(ANN, 1)))).toBe(0)
  expect(await dropBeside(pool, [projection], await log.head())).toBe(2)
  expect(await relations()).toEqual(LIVE)
  await expect(swapNext({ projection, log, pool })).rejects.toThrow('rebuild accounts --beside')
  await expect(swapBack({ projection, log, pool })).rejects.toThrow('There is nothing to swap back')
  await rebuildBeside({ projection, log, pool })
  expect(await dropBeside(pool, [projection], await log.head())).toBe(0)
  await swapNext({ projection, log, pool })
  await running.stop()
})

test('what a killed rebuild has left is dropped too', async () => {
  const { pool, log, running } = await bank()
  await rebuildBeside({ projection, log, pool })
  await pool.query('delete from ops.projection_build')
  await dropBeside(pool, [projection], await log.head())
  expect(await relations()).toEqual(LIVE)
  expect(await tablesBeside(pool, [projection], await log.head())).toEqual([])
  await running.stop()
})

test('tables that a rebuild holds are named until it has gone, those of a swap that was noted nowhere too', async () => {
  const { pool, log, running } = await bank()
  await rebuildBeside({ projection, log, pool })
  await swapNext({ projection, log, pool })
  await pool.query('delete from ops.projection_build')
  const rebuilding = await pool.connect()
  await rebuilding.query(`begin; select pg_advisory_xact_lock(hashtextextended('rebuild accounts', 0))`)
  await dropBeside(pool, [projection], await log.head())
  expect(await tablesBeside(pool, [projection], await log.head())).toEqual(['read.account_totals__old', 'read.accounts__old'])
  await rebuilding.query('rollback')
  rebuilding.release()
  await dropBeside(pool, [projection], await log.head())
  expect(await tablesBeside(pool, [projection], await log.head())).toEqual([])
  expect(await relations()).toEqual(LIVE)
  await running.stop()
})

test('tables beside that are read just now cannot be swapped in any more, and are dropped later', async () => {
  const { pool, log, running } = await bank()
  await rebuildBeside({ projection, log, pool })
  const reader = await pool.connect()
  await reader.query('begin')
  await reader.query('select 1 from read.accounts__next')
  const end = await write(log, ANN, deposited(ANN, 1))
  expect(await dropBeside(pool, [projection], end)).toBe(1)
  expect(await tablesBeside(pool, [projection], end)).toEqual(['read.account_totals__next', 'read.accounts__next'])
  await expect(swapNext({ projection, log, pool })).rejects.toThrow('rebuild accounts --beside')
  await reader.query('rollback')
  reader.release()
  expect(await dropExpired(pool)).toEqual({ projection: 'accounts', generation: 'next' })
  expect(await relations()).toEqual(LIVE)
  await running.stop()
})

test('the tables that a swap took out are dropped after a day, by one process, and can be brought back until then', async () => {
  const { pool, log, running } = await bank()
  await rebuildBeside({ projection, log, pool })
  await swapNext({ projection, log, pool })
  expect(await dropExpired(pool)).toBeNull()
  const { rows } = await pool.query<{ hours: number }>(
    `select round(extract(epoch from expires_at - now()) / 3600)::int as hours from ops.projection_build`,
  )
  expect(rows).toEqual([{ hours: 24 }])
  await pool.query(`update ops.projection_build set expires_at = now() - interval '1 second'`)
  await expect(swapBack({ projection, log, pool })).rejects.toThrow('There is nothing to swap back')
  expect((await Promise.all([dropExpired(pool), dropExpired(pool), dropExpired(pool)])).filter((dropped) => dropped !== null)).toEqual([
    { projection: 'accounts', generation: 'previous' },
  ])
  expect(await relations()).toEqual(LIVE)
  await running.stop()
})

test('tables that were built beside and not swapped in are dropped after a week', async () => {
  const { pool, log, running } = await bank()
  await rebuildBeside({ projection, log, pool })
  expect(await dropExpired(pool)).toBeNull()
  const { rows } = await pool.query<{ hours: number }>(
    `select round(extract(epoch from expires_at - now()) / 3600)::int as hours from ops.projection_build`,
  )
  expect(rows).toEqual([{ hours: 7 * 24 }])
  await pool.query(`update ops.projection_build set expires_at = now() - interval '1 second'`)
  await expect(swapNext({ projection, log, pool })).rejects.toThrow('rebuild accounts --beside')
  expect(await dropExpired(pool)).toEqual({ projection: 'accounts', generation: 'next' })
  expect(await relations()).toEqual(LIVE)
  await running.stop()
})
