import type { EventLog } from '@tidings/codec'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { rebuild } from '../src/index.ts'
import { accountsProjection, REFUSED_BY_FOLD } from './accounts.ts'
import { accountStream, balances, bankLog, deposited, forget, opened, run, until, untilAtHead, write } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

const ANN = '0192f0c1-0000-7000-8000-0000000000aa'
const BOB = '0192f0c1-0000-7000-8000-0000000000bb'

/** Whether the session that rebuilds waits for a lock of another. */
const rebuildWaits = async (): Promise<boolean> => {
  const { rows } = await database.pool.query<{ waits: boolean }>(
    `select exists (select 1 from pg_locks where not granted and pid in
       (select pid from pg_locks where locktype = 'advisory' and granted)) as waits`,
  )
  return rows[0]?.waits === true
}

/** The log, whose pages end where `before` is called for the first time: what is written there is left for the swap to apply. */
const endingPagesBefore = (log: EventLog, before: () => Promise<void>): EventLog => {
  let called = false
  return {
    ...log,
    pages: async function* (...from) {
      yield* log.pages(...from)
      if (!called) {
        called = true
        await before()
      }
    },
  }
}

test.each([
  ['a reader of the table that is being built', 'lock table read.accounts__next in access share mode'],
  ['somebody who has locked the lease', `select 1 from ops.projection_lease where projection = 'accounts' for update`],
  ['somebody who has locked a parked stream', 'select 1 from ops.parked_stream for update'],
])('a swap that waits in vain for %s begins again, and loses no event', { timeout: 60_000 }, async (_, lock) => {
  const { pool } = database
  const log = bankLog()
  await write(log, ANN, opened(ANN), deposited(ANN, 1))
  await write(log, 'parked', deposited(ANN, REFUSED_BY_FOLD))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  const holder = await pool.connect()
  const left = endingPagesBefore(log, async () => {
    await write(log, BOB, opened(BOB), deposited(BOB, 2))
    await write(log, ANN, deposited(ANN, 5))
    await untilAtHead(running, log)
    await holder.query('begin')
    await holder.query(lock)
  })
  const rebuilding = rebuild({ projection: accountsProjection, log: left, pool })
  await until(rebuildWaits)
  await until(async () => !(await rebuildWaits()))
  await holder.query('commit')
  holder.release()
  expect(await rebuilding).toMatchObject({ events: 6, parked: 1 })
  expect(await balances(pool)).toEqual({ accounts: [`${ANN} 6 2`, `${BOB} 2 1`], total: 2n })
  await write(log, ANN, deposited(ANN, 1))
  await untilAtHead(running, log)
  await running.stop()
  expect((await balances(pool)).accounts).toEqual([`${ANN} 7 3`, `${BOB} 2 1`])
  expect((await pool.query('select stream from ops.parked_stream')).rows).toEqual([{ stream: accountStream('parked') }])
})
