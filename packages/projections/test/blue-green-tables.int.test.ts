import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AnyProjection, rebuild, rebuildBeside, swapBack, swapNext } from '../src/index.ts'
import { accountsProjection, fewerTables, moreTables } from './accounts.ts'
import { balances, bankLog, deposited, forget, opened, run, untilAtHead, write } from './bank.ts'

// Versions that do not keep the same tables: what is there counts, not what the program that swaps would have made.

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

const ANN = '0192f0c1-0000-7000-8000-0000000000aa'
const BOB = '0192f0c1-0000-7000-8000-0000000000bb'

const tables = async (): Promise<readonly string[]> => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'read'::regnamespace and relkind = 'r' and relname like 'account%' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Version 1 is live and has Ann; no process runs. */
const bank = async () => {
  const log = bankLog()
  await write(log, ANN, opened(ANN), deposited(ANN, 1))
  const running = run({ pool: database.pool, log })
  await untilAtHead(running, log)
  await running.stop()
  const { pool } = database
  const swapIn = async (projection: AnyProjection) => {
    await rebuildBeside({ projection, log, pool })
    await swapNext({ projection, log, pool })
  }
  return { pool, log, swapIn }
}

const v1 = accountsProjection
const REFUSED = 'run `tidings projection rebuild accounts` with this program'

test('a version without one of the tables takes out what it can; the way back is refused, and a rebuild is one', async () => {
  const { pool, log, swapIn } = await bank()
  await swapIn(fewerTables)
  await expect(swapBack({ projection: v1, log, pool })).rejects.toThrow(REFUSED)
  await rebuild({ projection: v1, log, pool })
  expect(await balances(pool)).toEqual({ accounts: [`${ANN} 1 1`], total: 1n })
})

test('what an earlier swap took out goes whole, and is never mixed with what a later one took out', async () => {
  const { pool, log, swapIn } = await bank()
  await swapIn(v1)
  await write(log, BOB, opened(BOB))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  await running.stop()
  await swapIn(fewerTables)
  expect(await tables()).not.toContain('account_totals__old')
  await expect(swapBack({ projection: v1, log, pool })).rejects.toThrow(REFUSED)
})

test('back from a version with one table more, the rows are there; that version is built again', async () => {
  const { pool, log, swapIn } = await bank()
  await swapIn(moreTables)
  await write(log, ANN, deposited(ANN, 1))
  await swapBack({ projection: v1, log, pool })
  expect(await balances(pool)).toEqual({ accounts: [`${ANN} 2 2`], total: 1n })
  await expect(swapBack({ projection: moreTables, log, pool })).rejects.toThrow(REFUSED)
  await rebuild({ projection: moreTables, log, pool })
  expect(await tables()).toEqual(['account_notes', 'account_totals', 'account_totals__old', 'accounts', 'accounts__old'])
})

test('a rebuild drops all that another version has built beside', async () => {
  const { pool, log } = await bank()
  await rebuildBeside({ projection: moreTables, log, pool })
  await rebuild({ projection: v1, log, pool })
  expect(await tables()).toEqual(['account_totals', 'accounts'])
})

test('tables beside that are not those of the program, though of its version, are not swapped in', async () => {
  const { pool, log } = await bank()
  await rebuildBeside({ projection: { ...fewerTables, version: 1 }, log, pool })
  await expect(swapNext({ projection: v1, log, pool })).rejects.toThrow(REFUSED)
  expect(await balances(pool)).toEqual({ accounts: [`${ANN} 1 1`], total: 1n })
})
