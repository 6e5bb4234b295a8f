import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { moveToDeadLetter } from '../src/dead-letters.ts'
import { admit, redriveDeadLetter, releaseClaims } from '../src/index.ts'
import { type Deferral, Fenced } from '../src/job.ts'
import { JobLease } from '../src/job-lease.ts'
import { type Claimed, settleAndClaim } from '../src/settle-and-claim.ts'

const KIND = 'test'
const LEASE_MS = 600_000
const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate inbox.job, ops.dead_letter')
})

const claim = async (settled: readonly Readonly<{ job: Claimed; again: Deferral }>[] = []) =>
  (await settleAndClaim(db.pool, { kind: KIND, settled, limit: 10, leaseMs: LEASE_MS, after: null })).claimed
const leaseOf = (job: Claimed) => new JobLease(job, { pool: db.pool, kind: KIND, leaseMs: LEASE_MS, askedAt: performance.now() })
const admitted = (...lanes: readonly string[]) =>
  transaction(db.pool, (tx) =>
    admit(
      tx,
      KIND,
      lanes.map((lane, n) => ({ workspaceId, lane, seq: BigInt(n + 1), payload: lane })),
      { room: 0, leaseMs: LEASE_MS },
    ),
  )
/** A job of lane `a` that a worker is about to hand over to that provider. */
const handedOver = async (to: string): Promise<Claimed> => {
  await admitted('a')
  const [job] = await claim()
  if (job === undefined) throw new Error('nothing was claimed')
  expect(job.handedTo).toBeUndefined()
  await leaseOf(job).markTarget(to)
  return job
}
const targets = (jobs: readonly Claimed[]) => jobs.map(({ payload, handedTo }) => [payload, handedTo])
const putOff = (changes: Partial<Deferral> = {}): Deferral => ({
  ...{ type: 'Deferred', inMs: 0, counts: false, deferredFor: 'fault' },
  ...changes,
})

describe('where a job was about to be handed over is known to the worker that has it next', () => {
  test('after its lease has ended', async () => {
    await handedOver('a.example:25')
    await db.pool.query('update inbox.job set due_at = clock_timestamp()')
    expect(targets(await claim())).toEqual([['a', 'a.example:25']])
  })

  test('after its process has died on the embedded database', async () => {
    await handedOver('a.example:25')
    await releaseClaims(db.pool)
    expect(targets(await claim())).toEqual([['a', 'a.example:25']])
  })

  test('after a worker has put it off without a word of that', async () => {
    const job = await handedOver('a.example:25')
    expect(targets(await claim([{ job, again: putOff() }]))).toEqual([['a', 'a.example:25']])
  })

  test('after it was a dead letter', async () => {
    const job = await handedOver('a.example:25')
    await moveToDeadLetter(db.pool, KIND, { job, error: new Error('sent, but its outcome cannot be recorded') })
    const { rows } = await db.pool.query<{ id: string }>('select id from ops.dead_letter')
    await redriveDeadLetter(db.pool, rows[0]?.id ?? '')
    expect(targets(await claim())).toEqual([['a', 'a.example:25']])
  })
})

test('a worker that says that it was not handed over clears it', async () => {
  const job = await handedOver('a.example:25')
  expect(targets(await claim([{ job, again: putOff({ wasNotHandedOver: true }) }]))).toEqual([['a', undefined]])
})

test('many are put down at once, each for itself; the last one counts', async () => {
  await admitted('a', 'b', 'c')
  const jobs = await claim()
  await Promise.all(jobs.map((job) => leaseOf(job).markTarget(`${job.payload}.example:25`)))
  await Promise.all(jobs.filter(({ payload }) => payload === 'b').map((job) => leaseOf(job).markTarget('other.example:25')))
  await releaseClaims(db.pool)
  const again = (await claim()).toSorted((one, other) => one.payload.localeCompare(other.payload))
  expect(targets(again)).toEqual([
    ['a', 'a.example:25'],
    ['b', 'other.example:25'],
    ['c', 'c.example:25'],
  ])
})

test('a worker whose job another has cannot put anything down', async () => {
  const job = await handedOver('a.example:25')
  await db.pool.query('update inbox.job set due_at = clock_timestamp()')
  const [taken] = await claim()
  await expect(leaseOf(job).markTarget('b.example:25')).rejects.toBeInstanceOf(Fenced)
  expect(taken?.handedTo).toBe('a.example:25')
  const { rows } = await db.pool.query<{ handed_to: string }>('select handed_to from inbox.job')
  expect(rows).toEqual([{ handed_to: 'a.example:25' }])
})

test('a claim where nothing waits finds nothing', async () => {
  expect(await claim()).toEqual([])
})

test('a job that was claimed with others as one row is found with where it was handed over', async () => {
  const jobs = ['a', 'b'].map((lane, n) => ({ workspaceId, lane, seq: BigInt(n + 1), payload: lane }))
  const { claimed } = await transaction(db.pool, (tx) => admit(tx, KIND, jobs, { room: 10, leaseMs: LEASE_MS, bundled: true }))
  await Promise.all(claimed.filter(({ payload }) => payload === 'a').map((job) => leaseOf(job).markTarget('a.example:25')))
  await releaseClaims(db.pool)
  const again = (await claim()).toSorted((one, other) => one.payload.localeCompare(other.payload))
  expect(targets(again)).toEqual([
    ['a', 'a.example:25'],
    ['b', undefined],
  ])
})

describe('a statement that is late', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is waited for: one that came after the next would put down the provider before', async () => {
    await admitted('a')
    const [job] = await claim()
    if (job === undefined) throw new Error('nothing was claimed')
    const [isHere, reachesServer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let asked = 0
    const query = async (...args: readonly unknown[]): Promise<unknown> => {
      isHere.resolve()
      if (++asked === 1) await reachesServer.promise
      return await Reflect.apply(db.pool.query, db.pool, args)
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const pool = Object.create(db.pool, { query: { value: query } })
    const lease = new JobLease(job, { pool, kind: KIND, leaseMs: LEASE_MS, askedAt: performance.now() })
    const first = lease.markTarget('a.example:25')
    await isHere.promise
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    reachesServer.resolve()
    await first
    await lease.markTarget('b.example:25')
    await releaseClaims(db.pool)
    expect({ asked, targets: targets(await claim()) }).toEqual({ asked: 2, targets: [['a', 'b.example:25']] })
  })
})
