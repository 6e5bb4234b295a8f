import { randomUUID } from 'node:crypto'
import { migrate } from '@tidings/postgres'
import { patientPool, startTestPostgres, type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { balances, bankLog, closed, deposited, forget, opened, run, until, untilAtHead, write } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

const ids = Array.from({ length: 6 }, () => randomUUID()).sort()

/** Six accounts; the second ends closed. More of them than images are cached, so rows are read back too. */
const someHistory = async () => {
  const log = bankLog()
  for (const id of ids) await write(log, id, opened(id))
  for (let n = 1; n <= 30; n++) await write(log, ids[n % ids.length]!, deposited(ids[n % ids.length]!, n))
  await write(log, ids[1]!, closed(ids[1]!), deposited(ids[1]!, 1_000))
  return log
}

const expected = {
  accounts: ids.flatMap((id, n) => {
    const amounts = Array.from({ length: 30 }, (_, k) => k + 1).filter((k) => k % ids.length === n)
    return n === 1 ? [] : [`${id} ${amounts.reduce((a, b) => a + b)} ${amounts.length}`]
  }),
  total: 5n,
}

test('the tables hold every event once, whatever the size of the batches', async () => {
  const log = await someHistory()
  for (const maxBatch of [1, 2, 7, 2_000]) {
    await forget(database.pool)
    const running = run({ pool: database.pool, log, maxBatch })
    await untilAtHead(running, log)
    await running.stop()
    expect(await balances(database.pool)).toEqual(expected)
    expect(running.failures).toEqual([])
  }
})

type Fate = 'written' | 'lost before it was written' | 'written, but the answer was lost'

/** A pool whose batches meet these fates, one after the other; then all is well. */
const unlucky = (pool: Pool, fates: readonly Fate[]): Pool => {
  const left = [...fates]
  const query = async (...call: Parameters<Pool['query']>) => {
    const fate = isBatch(call[0]) ? left.shift() : undefined
    const gone = Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
    if (fate === 'lost before it was written') throw gone
    const result = await pool.query(...call)
    if (fate === 'written, but the answer was lost') throw gone
    return result
  }
  return Object.assign(Object.create(pool), { query })
}

const isBatch = (statement: unknown): boolean =>
  typeof statement === 'object' && statement !== null && 'name' in statement && String(statement.name).startsWith('commit ')

test('wherever the connection is lost, every event counts once', async () => {
  const log = await someHistory()
  const fates = fc.array(fc.constantFrom<Fate>('written', 'lost before it was written', 'written, but the answer was lost'), {
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(fates, fc.constantFrom(1, 5, 2_000), async (fate, maxBatch) => {
      await forget(database.pool)
      const running = run({ pool: unlucky(database.pool, fate), log, maxBatch })
      await untilAtHead(running, log)
      await running.stop()
      expect(await balances(database.pool)).toEqual(expected)
    }),
    { numRuns: 15 },
  )
})

test('stopping in the middle and starting again elsewhere loses and repeats nothing', async () => {
  const log = await someHistory()
  for (let n = 0; n < 5; n++) {
    const running = run({ pool: database.pool, log, maxBatch: 1 })
    await new Promise((resolve) => setTimeout(resolve, n * 15))
    await running.stop()
  }
  const last = run({ pool: database.pool, log })
  await untilAtHead(last, log)
  await last.stop()
  expect(await balances(database.pool)).toEqual(expected)
})

test('a killed Postgres is waited for, and the tables are as if it had never died', async () => {
  const server = await startTestPostgres()
  const pool = patientPool({ url: server.url, max: 4, name: 'test' })
  await migrate(pool)
  const log = await someHistory()
  const running = run({ pool, log, maxBatch: 3 })
  await untilAtHead(running, log)
  await server.kill()
  const id = ids[0]!
  await write(log, id, deposited(id, 5_000))
  await server.start()
  const accounts = expected.accounts.map((line) => {
    const [of, balance, deposits] = line.split(' ')
    return of === id ? `${id} ${Number(balance) + 5_000} ${Number(deposits) + 1}` : line
  })
  // A backend that outlived the server may have taken the event with a commit that the crash takes back: a heartbeat notices that.
  await until(async () => (await balances(pool).catch(() => null))?.accounts.join() === accounts.join())
  await running.stop()
  expect(await balances(pool)).toEqual({ accounts, total: 5n })
  await pool.end()
  await server.stop()
})
