import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog } from '@tidings/codec'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { diffProjection, dropExpired, readSide, rebuild, rebuildBeside, swapBack, swapNext } from '../src/index.ts'
import { nextVersion, accountsProjection as projection } from './accounts.ts'
import { balances, bankLog, deposited, forget, opened, run, until, untilAtHead, write } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

const ANN = '0192f0c1-0000-7000-8000-0000000000aa'

const openAccount = async (log: EventLog, id: string, deposits: number): Promise<void> => {
  await write(log, id, opened(id))
  for (let n = 0; n < deposits; n++) await write(log, id, deposited(id, 1))
}

/** The log, whose pages call `between` before each. */
const withPages = (log: EventLog, between: (n: number) => Promise<void>): EventLog => ({
  ...log,
  pages: async function* (...from) {
    let n = 0
    for await (const page of log.pages(...from)) {
      await between(n++)
      yield page
    }
  },
})

const KILL = `select pg_terminate_backend(pid, 60000) from pg_locks
  where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`

test('who has written reads it, also while the tables are exchanged again and again', async () => {
  const { pool } = database
  const log = bankLog()
  const ids: readonly string[] = Array.from({ length: 8 }, () => randomUUID())
  for (const id of ids) await openAccount(log, id, 0)
  const running = run({ pool, log })
  await untilAtHead(running, log)
  const reads = readSide({ pool, progress: running.progress })
  const elsewhere = readSide({ pool })
  let over = false
  const deposits = new Map(ids.map((id) => [id, 0]))
  const answers = { visible: 0, stale: 0 }
  const client = async (id: string, side: typeof reads) => {
    for (; !over; await sleep(2)) {
      const position = await write(log, id, deposited(id, 1))
      const count = (deposits.get(id) ?? 0) + 1
      deposits.set(id, count)
      if ((await side.wait(position, ['accounts'])) !== 'visible') continue
      const { rows } = await pool.query<{ deposits: number }>('select deposits from read.accounts where id = $1', [id])
      answers[rows[0]?.deposits === count ? 'visible' : 'stale']++
    }
  }
  const clients = Promise.all(ids.map((id, n) => client(id, n % 2 === 0 ? reads : elsewhere)))
  for (let n = 0; n < 2; n++) {
    await rebuildBeside({ projection, log, pool })
    await diffProjection({ projection, log, pool, first: 1, values: false })
    await swapNext({ projection, log, pool })
    await swapBack({ projection, log, pool })
  }
  over = true
  await clients
  await untilAtHead(running, log)
  await Promise.all([running.stop(), reads.close(), elsewhere.close()])
  expect(answers.stale).toBe(0)
  expect(answers.visible).toBeGreaterThan(0)
  const { accounts } = await balances(pool)
  expect(accounts.toSorted()).toEqual(ids.map((id) => `${id} ${deposits.get(id)} ${deposits.get(id)}`).toSorted())
})

test.each([0, 1, 2])('killed at page %i of its catching up, a swap leaves the live tables, and the next one goes on', async (page) => {
  const { pool } = database
  const log = bankLog()
  await openAccount(log, ANN, 1)
  const running = run({ pool, log })
  await rebuildBeside({ projection, log, pool })
  for (let n = 0; n < 3; n++) await write(log, ANN, deposited(ANN, 1))
  await untilAtHead(running, log)
  const killing = withPages(log, async (n) => {
    if (n === page) await pool.query(KILL)
  })
  await expect(swapNext({ projection, log: killing, pool, page: 1 })).rejects.toThrow()
  expect((await balances(pool)).accounts).toEqual([`${ANN} 4 4`])
  const pages: number[] = []
  await swapNext({ projection, log: withPages(log, async (n) => void pages.push(n)), pool, page: 1 })
  expect(pages.length).toBeLessThanOrEqual(4 - page)
  expect((await balances(pool)).accounts).toEqual([`${ANN} 4 4`])
  expect((await pool.query('select generation from ops.projection_build')).rows).toEqual([{ generation: 'previous' }])
  await running.stop()
})

test('killed before it is noted that they are there, tables beside do not count', async () => {
  const { pool } = database
  const log = bankLog()
  await openAccount(log, ANN, 3)
  const killing = withPages(log, () => pool.query(KILL).then(() => undefined))
  await expect(rebuildBeside({ projection, log: killing, pool, page: 1 })).rejects.toThrow()
  await expect(swapNext({ projection, log, pool })).rejects.toThrow('rebuild accounts --beside')
  await rebuildBeside({ projection, log, pool })
  await swapNext({ projection, log, pool })
  expect((await balances(pool)).accounts).toEqual([`${ANN} 3 3`])
})

const nextTables = async (): Promise<number | undefined> => {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_class where relnamespace = 'read'::regnamespace and relkind = 'r' and relname like '%\\_\\_next'`,
  )
  return rows[0]?.count
}

test.each([
  ['beside', rebuildBeside],
  ['in place', rebuild],
])('what a rebuild %s leaves behind when it is killed is dropped, and not while it works', async (_, work) => {
  const { pool } = database
  const log = bankLog()
  await openAccount(log, ANN, 3)
  const dropped: unknown[] = []
  const killing = withPages(log, async (n) => {
    if (n === 0) dropped.push(await dropExpired(pool))
    else await pool.query(KILL)
  })
  await expect(work({ projection, log: killing, pool, page: 1 })).rejects.toThrow()
  expect([dropped, await nextTables()]).toEqual([[null], 2])
  await until(async () => (await dropExpired(pool)) !== null)
  expect([await nextTables(), await dropExpired(pool)]).toEqual([0, null])
})

test('a start takes no tables of a rebuild that was killed', async () => {
  const { pool } = database
  const log = bankLog()
  await openAccount(log, ANN, 3)
  const running = run({ pool, log })
  await untilAtHead(running, log)
  await running.stop()
  const killing = withPages(log, (n) => (n === 0 ? Promise.resolve() : pool.query(KILL).then(() => undefined)))
  await expect(rebuildBeside({ projection: nextVersion, log: killing, pool, page: 1 })).rejects.toThrow()
  const upgraded = run({ pool, log, projection: nextVersion })
  await untilAtHead(upgraded, log)
  await upgraded.stop()
  expect((await balances(pool)).accounts).toEqual([`${ANN} 3 3`])
  expect((await pool.query('select generation from ops.projection_build')).rows).toEqual([])
})

test('two operators at once: the second is refused, and nothing of the first is disturbed', async () => {
  const { pool } = database
  const log = bankLog()
  await openAccount(log, ANN, 2)
  const running = run({ pool, log })
  await untilAtHead(running, log)
  await rebuildBeside({ projection, log, pool })
  await write(log, ANN, deposited(ANN, 1))
  const refused: string[] = []
  const say = (error: Error) => void refused.push(error.message)
  const meddling = withPages(log, async (n) => {
    if (n > 0) return
    const others = [swapNext({ projection, log, pool }), swapBack({ projection, log, pool }), rebuildBeside({ projection, log, pool })]
    await Promise.all(
      [...others, diffProjection({ projection, log, pool, first: 1, values: false })].map((other) => other.then(() => undefined, say)),
    )
  })
  await swapNext({ projection, log: meddling, pool })
  expect(refused).toEqual(Array.from({ length: 4 }, () => expect.stringContaining('is being rebuilt already')))
  expect((await balances(pool)).accounts).toEqual([`${ANN} 3 3`])
  await running.stop()
})

test('tables that are being swapped back are not dropped under it', async () => {
  const { pool } = database
  const log = bankLog()
  await openAccount(log, ANN, 1)
  const running = run({ pool, log })
  await untilAtHead(running, log)
  await rebuildBeside({ projection, log, pool })
  await swapNext({ projection, log, pool })
  await write(log, ANN, deposited(ANN, 1))
  const dropped: unknown[] = []
  const expiring = withPages(log, async () => {
    await pool.query(`update ops.projection_build set expires_at = now() - interval '1 second' where generation = 'previous'`)
    dropped.push(await dropExpired(pool))
  })
  await swapBack({ projection, log: expiring, pool })
  expect(dropped.every((one) => one === null) && dropped.length > 0).toBe(true)
  expect((await balances(pool)).accounts).toEqual([`${ANN} 2 2`])
  await running.stop()
})

test('a log that was set back before the tables beside refuses the swap', async () => {
  const { pool } = database
  const log = bankLog()
  await openAccount(log, ANN, 1)
  await rebuildBeside({ projection, log, pool })
  await expect(swapNext({ projection, log: bankLog(), pool })).rejects.toThrow('it was set back')
})
