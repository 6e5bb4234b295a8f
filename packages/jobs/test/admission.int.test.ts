import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Admission, admission } from '../src/admit.ts'
import type { Deferral, Job, NewJob, Verdict } from '../src/job.ts'
import { type RunningLanes, runLanes } from '../src/run-lanes.ts'
import { settleAndClaim } from '../src/settle-and-claim.ts'

const KIND = 'test'
const A = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')

let db: TestDatabase
let lanes: RunningLanes
let begun: string[]
let work: (job: Job) => Promise<Verdict>
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate inbox.job')
  begun = []
  work = async () => 'done'
  // Nothing is found by looking: what begins was woken or handed over.
  lanes = runLanes({
    pool: db.pool,
    kind: KIND,
    concurrency: 2,
    pollMs: 3_600_000,
    work: (job) => {
      begun.push(`${job.payload}#${job.attempt}`)
      return work(job)
    },
  })
  await admitted(admission(KIND), job('first', 0))
  lanes.wake()
  await untilEmpty()
  begun = []
})
afterEach(() => lanes.stop(100))

const job = (lane: string, seq: number): NewJob => ({ workspaceId: A, lane, seq: BigInt(seq), payload: `${lane}${seq}` })
const admitted = async (admit: Admission, ...jobs: NewJob[]): Promise<void> => (await transaction(db.pool, (tx) => admit(tx, jobs)))()
const jobs = async () =>
  (await db.pool.query<{ payload: string; held: boolean }>('select payload, token is not null as held from inbox.job order by seq')).rows
const untilEmpty = () => until(async () => expect(await jobs()).toEqual([]))

describe('a job admitted beside workers with room', () => {
  test('is held by the insert, and begins when its transaction has committed', async () => {
    const begin = await transaction(db.pool, async (tx) => {
      const then = await lanes.admit(tx, [job('a', 1)])
      const { rows } = await tx.query('select token is not null as held from inbox.job')
      expect(rows).toEqual([{ held: true }])
      return then
    })
    expect(begun).toEqual([])
    begin()
    expect(begun).toEqual(['a1#0'])
    await untilEmpty()
  })

  test('is held by a statement that does more than that, and begins when its value has come', async () => {
    const { call, values, done } = lanes.admission([job('a', 1), job('a', 2), job('b', 3)])
    const { rows } = await db.pool.query<{ value: unknown }>(`select ${call} as value`, [...values])
    expect(begun).toEqual([])
    expect(await jobs()).toEqual([
      { payload: 'a1', held: true },
      { payload: 'a2', held: false },
      { payload: 'b3', held: true },
    ])
    done(rows[0]?.value)
    expect(begun).toEqual(['a1#0', 'b3#0'])
    await untilEmpty()
    expect(begun).toEqual(['a1#0', 'b3#0', 'a2#0'])
  })

  test('is left to later claims by a statement whose value has not come, and its room serves the next', async () => {
    lanes.admission([job('a', 1), job('b', 2), job('c', 3), job('d', 4)])
    await admitted(lanes.admit, job('e', 5), job('f', 6), job('g', 7), job('h', 8))
    await untilEmpty()
    expect(begun).toEqual(['e5#0', 'f6#0', 'g7#0', 'h8#0'])
  })

  test('is forgotten when its transaction fails, and its room serves the next', async () => {
    const failing = transaction(db.pool, async (tx) => {
      await lanes.admit(tx, [job('a', 1), job('b', 2), job('c', 3), job('d', 4)])
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await admitted(lanes.admit, job('e', 5), job('f', 6), job('g', 7), job('h', 8))
    await untilEmpty()
    expect(begun).toEqual(['e5#0', 'f6#0', 'g7#0', 'h8#0'])
  })

  test('waits behind the head of its lane, in order', async () => {
    await admitted(lanes.admit, job('a', 1), job('a', 2), job('a', 3), job('b', 4))
    await untilEmpty()
    expect(begun.filter((name) => name.startsWith('a'))).toEqual(['a1#0', 'a2#0', 'a3#0'])
  })

  test('is left alone when it is there already', async () => {
    const gate = Promise.withResolvers<Verdict>()
    work = () => gate.promise
    await admitted(lanes.admit, job('a', 1))
    await admitted(lanes.admit, job('a', 1))
    gate.resolve('done')
    await untilEmpty()
    expect(begun).toEqual(['a1#0'])
  })

  test('does not run beside a retry of its lane', async () => {
    const gate = Promise.withResolvers<Verdict>()
    work = async ({ attempt }) => (attempt === 0 ? { type: 'Deferred', inMs: 0, counts: true, deferredFor: 'retry' } : await gate.promise)
    await admitted(lanes.admit, job('a', 1))
    await until(() => expect(begun).toEqual(['a1#0', 'a1#1']))
    work = async () => 'done'
    await admitted(lanes.admit, job('a', 2))
    expect(await jobs()).toEqual([
      { payload: 'a1', held: true },
      { payload: 'a2', held: false },
    ])
    expect(begun).toEqual(['a1#0', 'a1#1'])
    gate.resolve('done')
    // A round between the two may have put it off by a second, and the poll of this test is an hour.
    await until(() => {
      lanes.wake()
      expect(begun).toEqual(['a1#0', 'a1#1', 'a2#0'])
    })
  })

  test('does not overtake what waits for room', async () => {
    const gate = Promise.withResolvers<Verdict>()
    work = () => gate.promise
    await admitted(lanes.admit, ...Array.from({ length: 6 }, (_, n) => job(`lane${n}-`, n + 1)))
    expect((await jobs()).map(({ held }) => held)).toEqual([true, true, true, true, false, false])
    work = async () => 'done'
    gate.resolve('done')
    await admitted(lanes.admit, job('late', 9))
    await untilEmpty()
    expect(begun.at(-1)).toBe('late9#0')
  })
})

test('how deep the lanes are does not matter to a round', async () => {
  const deep = Array.from({ length: 100 }, (_, lane) => Array.from({ length: 200 }, (_, n) => job(`deep${lane}`, lane * 1_000 + n))).flat()
  await admitted(admission(KIND), ...deep)
  const fetched = await transaction(db.pool, async (tx) => {
    await tx.query(
      `select inbox.settle_and_claim($1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', 50, 30000, null, null, null)`,
      [KIND],
    )
    await tx.query(
      `select inbox.settle_and_claim($1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', 50, 30000, null, null, null)`,
      [KIND],
    )
    const { rows } = await tx.query<{ tuples: number }>(
      `select idx_tup_fetch::int as tuples from pg_stat_xact_user_tables where schemaname = 'inbox' and relname = 'job'`,
    )
    return rows[0]?.tuples
  })
  // A walk over the waiting jobs of a hundred lanes would be 20 000; what another plan reads beside depends on when Postgres last looked at the table.
  expect(fetched).toBeLessThan(5_000)
})

describe('how much waits does not matter', () => {
  const fetched = `select idx_tup_fetch::int as tuples from pg_stat_xact_user_tables where schemaname = 'inbox' and relname = 'job'`
  const waiting = (count: number, from: number) => Array.from({ length: count }, (_, n) => job(`w${from + n}-`, from + n))

  test('to an admission', async () => {
    await admitted(admission(KIND), ...waiting(2_000, 0))
    const tuples = await transaction(db.pool, async (tx) => {
      await admission(KIND)(tx, waiting(100, 10_000))
      return (await tx.query<{ tuples: number }>(fetched)).rows[0]?.tuples
    })
    // Once through what waits for each that is admitted would be 200 000.
    expect(tuples).toBeLessThan(10_000)
  })

  test('to a round that settles, puts off and claims', async () => {
    await admitted(admission(KIND), ...waiting(2_000, 0))
    const claim = { kind: KIND, settled: [], limit: 100, leaseMs: 30_000, after: null }
    const { claimed } = await settleAndClaim(db.pool, claim)
    const again: Deferral = { type: 'Deferred', inMs: 1_000, counts: true, deferredFor: 'retry' }
    const settled = claimed.map((one, n) => ({ job: one, again: n % 2 === 0 ? null : again }))
    const tuples = await transaction(db.pool, async (tx) => {
      const pool = Object.create(db.pool, { query: { value: (...args: readonly unknown[]) => Reflect.apply(tx.query, tx, args) } })
      expect((await settleAndClaim(pool, { ...claim, settled })).claimed).toHaveLength(100)
      return (await tx.query<{ tuples: number }>(fetched)).rows[0]?.tuples
    })
    expect(claimed).toHaveLength(100)
    // Once through what waits for each that is settled would be 200 000, whatever the statistics say: with those of a vacuum beside it 2 854 were read.
    expect(tuples).toBeLessThan(10_000)
  })
})
