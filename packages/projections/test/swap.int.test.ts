import type { EventLog } from '@tidings/codec'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { rebuild } from '../src/index.ts'
import { accountsProjection, REFUSED_BY_FOLD, REFUSED_BY_POSTGRES } from './accounts.ts'
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
       (select pid from pg_locks where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database()))) as waits`,
  )
  return rows[0]?.waits === true
}

/** The log, whose pages end for the `nth` time before `late` is called: what that writes is left for the swap to apply. */
const endingBefore = (log: EventLog, late: () => Promise<void>, nth = 1): EventLog => {
  let ended = 0
  return {
    ...log,
    pages: async function* (...from) {
      yield* log.pages(...from)
      ended++
      if (ended === nth) await late()
    },
  }
}

test.each([
  ['a reader of the table that is being built', 'lock table read.accounts__next in access share mode'],
  ['somebody who has locked the lease', `select 1 from ops.projection_lease where projection = 'accounts' for update`],
  ['somebody who has locked a parked stream', 'select 1 from ops.parked_stream for update'],
])('a swap that waits in vain for %s begins again, and loses no event', async (_, lock) => {
  const { pool } = database
  const log = bankLog()
  await write(log, ANN, opened(ANN), deposited(ANN, 1))
  await write(log, 'parked', deposited(ANN, REFUSED_BY_FOLD))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  const holder = await pool.connect()
  const left = endingBefore(log, async () => {
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

test('a swap that Postgres ends for a deadlock with a reader begins again', async () => {
  const { pool } = database
  const log = bankLog()
  await write(log, ANN, opened(ANN), deposited(ANN, 1))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  await running.stop()
  const reader = await pool.connect()
  await reader.query(`begin; set local deadlock_timeout = '1min'; select from read.account_totals`)
  const rebuilding = rebuild({ projection: accountsProjection, log, pool })
  await until(rebuildWaits)
  await reader.query('select from read.accounts')
  await reader.query('commit')
  reader.release()
  expect(await rebuilding).toMatchObject({ events: 2, parked: 0 })
  expect(await balances(pool)).toEqual({ accounts: [`${ANN} 1 1`], total: 1n })
})

test.each([
  ['at once', '1', 1],
  ['event by event', REFUSED_BY_POSTGRES, 2],
])('what a swap had applied %s when it met a lock is applied again', async (_, amount, attempt) => {
  const { pool } = database
  const log = bankLog()
  await write(log, ANN, opened(ANN), deposited(ANN, 1))
  await write(log, 'other', opened(BOB), deposited(BOB, amount))
  const holder = await pool.connect()
  const live = async () => {
    const running = run({ pool, log })
    await untilAtHead(running, log)
    await running.stop()
  }
  const late = async () => {
    await write(log, ANN, deposited(ANN, 5), deposited(ANN, REFUSED_BY_FOLD))
    await live()
    // A row that no statement sees, and none can write: the lock that no session can take before.
    await pool.query('delete from ops.projection_lease')
    await holder.query(`begin; insert into ops.projection_lease values ('accounts', 'somebody', 1, clock_timestamp())`)
  }
  await live()
  const before = (await pool.query('select stream from ops.parked_stream')).rows.length
  const rebuilding = rebuild({ projection: accountsProjection, log: endingBefore(log, late, attempt), pool })
  await until(rebuildWaits)
  await until(async () => !(await rebuildWaits()))
  await holder.query('rollback')
  holder.release()
  expect(await rebuilding).toMatchObject({ parked: before + 1 })
  const bob = before === 0 ? `${BOB} 1 1` : `${BOB} 0 0`
  expect(await balances(pool)).toEqual({ accounts: [`${ANN} 6 2`, bob], total: 2n })
})
