import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import { moveToDeadLetter, redriveDeadLetter } from '../src/dead-letters.ts'
import { inboxDepth } from '../src/depth.ts'
import { releaseClaims, shortenLeases } from '../src/end-claims.ts'
import type { Deferral, Job, NewJob, Verdict } from '../src/job.ts'
import { JobLease } from '../src/job-lease.ts'
import { type RunningLanes, runLanes } from '../src/run-lanes.ts'
import { type Claimed, type Settlement, settleAndClaim } from '../src/settle-and-claim.ts'
import { suspendJobs } from '../src/suspensions.ts'

const KIND = 'test'
const A = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')
const B = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000b')

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate inbox.job, inbox.bundle, inbox.suspended_workspace')
})

const job = (lane: string, seq: number, workspaceId = A): NewJob => ({ workspaceId, lane, seq: BigInt(seq), payload: `${lane}${seq}` })
const AGAIN: Deferral = { type: 'Deferred', inMs: 60_000, counts: true, deferredFor: 'retry' }

const LEASE_MS = 3_600_000
const claimedAtOnce = async (...jobs: NewJob[]): Promise<readonly Claimed[]> =>
  (await transaction(db.pool, (tx) => admit(tx, KIND, jobs, { room: 100, leaseMs: LEASE_MS, bundled: true }))).claimed
const settle = (settled: readonly Settlement[], limit = 0) =>
  settleAndClaim(db.pool, { kind: KIND, settled, limit, leaseMs: LEASE_MS, after: null })
const claim = async () => (await settle([], 100)).claimed

type BundleRow = Readonly<{ workspace: string; payloads: readonly string[] }>
const bundles = async () =>
  (await db.pool.query<BundleRow>('select workspace_id as workspace, payloads from inbox.bundle order by workspace_id, payloads')).rows
type JobRow = Readonly<{ payload: string; isClaimed: boolean; attempt: number; isDue: boolean }>
const rows = async () =>
  (
    await db.pool.query<JobRow>(
      'select payload, token is not null as "isClaimed", attempt::int, due_at is not null as "isDue" from inbox.job order by seq',
    )
  ).rows
const CLAIMED = { isClaimed: true, attempt: 0, isDue: true }
const BEHIND = { isClaimed: false, attempt: 0, isDue: false }
const expireLeases = () => db.pool.query(`update inbox.bundle set due_at = clock_timestamp() - interval '1 s'`)

describe('what an admission claims at once', () => {
  test('is one row of each workspace', async () => {
    const claimed = await claimedAtOnce(job('a', 1), job('b', 2, B), job('c', 3))
    expect(claimed.map(({ payload, claimedBefore, takenOver }) => ({ payload, claimedBefore, takenOver }))).toEqual(
      ['a1', 'b2', 'c3'].map((payload) => ({ payload, claimedBefore: false, takenOver: false })),
    )
    expect(await bundles()).toEqual([
      { workspace: A, payloads: ['a1', 'c3'] },
      { workspace: B, payloads: ['b2'] },
    ])
    expect(await rows()).toEqual([])
    expect(await inboxDepth(db.pool)).toMatchObject([{ kind: KIND, waiting: 3, retrying: 0 }])
  })

  test('is gone by one token when all is done', async () => {
    const [first] = await claimedAtOnce(job('a', 1), job('b', 2, B))
    await settle([{ ended: first!.token }])
    expect([await bundles(), await rows()]).toEqual([[], []])
  })

  test('is rows under the same claims as soon as one of them waits', async () => {
    const [a, b] = await claimedAtOnce(job('a', 1), job('b', 2), job('c', 3))
    await settle([{ unbundled: a!.token }, { job: a!, again: null }, { job: b!, again: AGAIN }])
    expect(await bundles()).toEqual([])
    expect(await rows()).toEqual([
      { payload: 'b2', isClaimed: false, attempt: 1, isDue: true },
      { payload: 'c3', ...CLAIMED },
    ])
    expect(await claim()).toEqual([])
    // Whatever made rows of it, one token still ends what has it.
    await settle([{ ended: a!.token }])
    expect(await rows()).toMatchObject([{ payload: 'b2' }])
  })

  test('is not admitted a second time', async () => {
    await claimedAtOnce(job('a', 1), job('b', 2))
    expect(await claimedAtOnce(job('a', 1), job('b', 2))).toEqual([])
    expect(await rows()).toEqual([
      { payload: 'a1', ...CLAIMED },
      { payload: 'b2', ...CLAIMED },
    ])
  })

  test('keeps its lane: what comes after it waits, and begins when it is done', async () => {
    const [first] = await claimedAtOnce(job('a', 1), job('b', 2))
    const { claimed, unbundled } = await transaction(db.pool, (tx) =>
      admit(tx, KIND, [job('a', 3), job('c', 4)], { room: 100, leaseMs: LEASE_MS, bundled: true }),
    )
    expect({ claimed: claimed.map(({ payload }) => payload), unbundled }).toEqual({ claimed: ['c4'], unbundled: [first!.token] })
    expect(await bundles()).toEqual([{ workspace: A, payloads: ['c4'] }])
    expect(await rows()).toEqual([
      { payload: 'a1', ...CLAIMED },
      { payload: 'b2', ...CLAIMED },
      { payload: 'a3', ...BEHIND },
    ])
    expect(await claim()).toEqual([])
    expect((await settle([{ ended: first!.token }], 100)).claimed.map(({ payload }) => payload)).toEqual(['a3'])
  })

  test('keeps its lane from a retry that is due and from a job that was requeued', async () => {
    const [old] = await claimedAtOnce(job('a', 1))
    await settle([{ unbundled: old!.token }, { job: old!, again: { ...AGAIN, inMs: 0 } }])
    const id = await db.pool.query<{ id: string }>(
      `insert into ops.dead_letter (source, consumer, workspace_id, reference, lane, seq, payload, error_class, error, attempts)
       values ('job', $1, $2, 'b', hashtextextended('b', 0), 2, 'b2', 'Error', '', 1) returning id`,
      [KIND, A],
    )
    // As an admission bundles it before the retry is due, and before the requeue.
    await db.pool.query(
      `insert into inbox.bundle (kind, token, workspace_id, lanes, seqs, payloads, due_at, admitted_at)
       select $1, 0, $2, array[hashtextextended('a', 0), hashtextextended('b', 0)], '{3,4}', '{a3,b4}', clock_timestamp() + interval '1 h', clock_timestamp()`,
      [KIND, A],
    )
    await db.pool.query('select inbox.requeue_dead_letter($1)', [id.rows[0]?.id])
    expect(await claim()).toEqual([])
    await settle([{ ended: '0' }])
    // The claim that found the lane of the retry at work put it off by a second.
    await db.pool.query(`update inbox.job set due_at = clock_timestamp() where attempt > 0`)
    expect((await claim()).map(({ payload }) => payload)).toEqual(['a1', 'b2'])
  })

  test('is taken over once its lease has ended, and its old claim settles nothing', async () => {
    const claimed = await claimedAtOnce(job('a', 1), job('b', 2))
    expect(await claim()).toEqual([])
    await expireLeases()
    const again = await claim()
    expect(again.map(({ payload, takenOver, claimedBefore }) => ({ payload, takenOver, claimedBefore }))).toEqual([
      { payload: 'a1', takenOver: true, claimedBefore: true },
      { payload: 'b2', takenOver: true, claimedBefore: true },
    ])
    await settle([{ ended: claimed[0]!.token }, { job: claimed[1]!, again: null }])
    expect(await rows()).toHaveLength(2)
    await settle(again.map((one) => ({ job: one, again: null })))
    expect(await rows()).toEqual([])
  })

  test('is renewed as rows, and lost to who has them', async () => {
    const [a] = await claimedAtOnce(job('a', 1), job('b', 2))
    const lease = new JobLease(a!, { pool: db.pool, kind: KIND, leaseMs: LEASE_MS, askedAt: performance.now() })
    await lease.ensure(2 * LEASE_MS)
    expect([await bundles(), (await rows()).length]).toEqual([[], 2])
    await db.pool.query(`update inbox.job set due_at = clock_timestamp() - interval '1 s'`)
    await claim()
    await expect(lease.ensure(3 * LEASE_MS)).rejects.toThrow('belongs to another worker')
  })

  test('becomes a dead letter alone', async () => {
    const [a] = await claimedAtOnce(job('a', 1), job('b', 2))
    expect(await moveToDeadLetter(db.pool, KIND, { job: a!, error: new Error('no') })).not.toBeNull()
    expect(await rows()).toEqual([{ payload: 'b2', ...CLAIMED }])
  })

  test('is rows once the dead letter of a job of it, which was admitted again, is driven again, and the lane goes on', async () => {
    const [first] = await claimedAtOnce(job('a', 1))
    const id = await moveToDeadLetter(db.pool, KIND, { job: first!, error: new Error('no') })
    const [again] = await claimedAtOnce(job('a', 1), job('b', 2))
    expect(await redriveDeadLetter(db.pool, id ?? '')).toBe(true)
    expect(await rows()).toEqual([
      { payload: 'a1', ...CLAIMED },
      { payload: 'b2', ...CLAIMED },
    ])
    await settle([{ unbundled: again!.token }, { job: again!, again: null }])
    expect((await claimedAtOnce(job('a', 3))).map(({ payload }) => payload)).toEqual(['a3'])
  })

  test('is free after a crash of all who worked', async () => {
    await claimedAtOnce(job('a', 1), job('b', 2, B))
    expect(await releaseClaims(db.pool)).toBe(2)
    expect((await claim()).map(({ payload, takenOver, claimedBefore }) => [payload, takenOver, claimedBefore])).toEqual([
      ['a1', false, true],
      ['b2', false, true],
    ])
  })

  test('waits no longer than a lease, if the clock of the database was ahead', async () => {
    await claimedAtOnce(job('a', 1))
    await db.pool.query(`update inbox.bundle set due_at = clock_timestamp() + interval '1 year'`)
    expect(await shortenLeases(db.pool, 10)).toBe(1)
    const { rows: due } = await db.pool.query<{ soon: boolean }>('select due_in_ms between 1 and 300000 as soon from inbox.first_due($1)', [
      [KIND],
    ])
    expect(due).toEqual([{ soon: true }])
  })

  test('is nothing of a suspended workspace, and no more than a share', async () => {
    await suspendJobs(db.pool, KIND, B)
    expect((await claimedAtOnce(job('a', 1), job('b', 2, B))).map(({ payload }) => payload)).toEqual(['a1'])
    const shared = { room: 6, leaseMs: LEASE_MS, bundled: true, has: { workspaces: [A], counts: [2] } }
    const many = Array.from({ length: 4 }, (_, n) => job(`many${n}`, 10 + n))
    const { claimed } = await transaction(db.pool, (tx) => admit(tx, KIND, many, shared))
    // (6 - 2) / 2 of the free slots.
    expect(claimed.map(({ payload }) => payload)).toEqual(['many010', 'many111'])
    expect((await rows()).map(({ payload }) => payload)).toEqual(['b2', 'many212', 'many313'])
  })
})

describe('a process', () => {
  let lanes: RunningLanes
  let begun: string[]
  let work: (job: Job) => Promise<Verdict>
  beforeEach(async () => {
    begun = []
    work = async () => 'done'
    lanes = runLanes({
      pool: db.pool,
      kind: KIND,
      concurrency: 8,
      bundles: true,
      pollMs: 3_600_000,
      // A fault is not tried again while the test looks at it.
      faultDelaysMs: [3_600_000],
      work: (one) => {
        begun.push(one.payload)
        return work(one)
      },
    })
    // Nothing is claimed at an admission before a first look has found nothing.
    await admitted(job('first', 0))
    await until(async () => expect([await bundles(), await rows()]).toEqual([[], []]))
    begun = []
    return () => lanes.stop(100)
  })
  const admitted = async (...jobs: NewJob[]) => (await transaction(db.pool, (tx) => lanes.admit(tx, jobs)))()

  test('writes once that the jobs of a bundle are done, and knows them at once', async () => {
    const query = await transaction(db.pool, async (tx) => {
      const begin = await lanes.admit(tx, [job('a', 1), job('b', 2)])
      expect((await tx.query('select payloads from inbox.bundle')).rows).toEqual([{ payloads: ['a1', 'b2'] }])
      return begin
    })
    query()
    expect(begun).toEqual(['a1', 'b2'])
    await until(async () => expect([await bundles(), await rows()]).toEqual([[], []]))
  })

  test('makes rows of what takes longer, and of what is done nothing', async () => {
    const gate = Promise.withResolvers<Verdict>()
    work = async ({ payload }) => (payload === 'slow1' ? await gate.promise : 'done')
    await admitted(job('slow', 1), job('b', 2), job('c', 3))
    await until(async () => expect([await bundles(), await rows()]).toEqual([[], [{ payload: 'slow1', ...CLAIMED }]]))
    expect(begun).toEqual(['slow1', 'b2', 'c3'])
    gate.resolve('done')
    await until(async () => expect(await rows()).toEqual([]))
  })

  test('makes rows of what is slow as a whole, though no job ends', async () => {
    const gate = Promise.withResolvers<Verdict>()
    work = () => gate.promise
    await admitted(job('a', 1), job('b', 2))
    await until(async () => expect([await bundles(), (await rows()).length]).toEqual([[], 2]))
    gate.resolve('done')
    await until(async () => expect(await rows()).toEqual([]))
  })

  test('keeps what is put off as a row, and a fault, and a dead letter', async () => {
    work = async ({ payload }) => {
      if (payload === 'off1') return AGAIN
      if (payload === 'fault2') throw new Error('no')
      return 'done'
    }
    await admitted(job('off', 1), job('fault', 2), job('c', 3))
    await until(async () =>
      expect([await bundles(), (await rows()).map(({ payload, attempt }) => `${payload}#${attempt}`)]).toEqual([
        [],
        ['off1#1', 'fault2#1'],
      ]),
    )
  })

  test('lets the next job of a lane begin when the one before it is done', async () => {
    const gate = Promise.withResolvers<Verdict>()
    const other = Promise.withResolvers<Verdict>()
    work = ({ payload }) => (payload === 'a1' ? gate.promise : payload === 'b2' ? other.promise : Promise.resolve('done'))
    await admitted(job('a', 1), job('b', 2))
    await admitted(job('a', 3))
    expect(begun).toEqual(['a1', 'b2'])
    gate.resolve('done')
    await until(() => expect(begun).toEqual(['a1', 'b2', 'a3']))
    other.resolve('done')
    await until(async () => expect([await bundles(), await rows()]).toEqual([[], []]))
  })

  test('gives back at a stop what has not begun, and leaves nothing of what is done', async () => {
    const gate = Promise.withResolvers<Verdict>()
    work = ({ payload }) => (payload === 'done0' ? Promise.resolve('done') : gate.promise)
    const many = Array.from({ length: 12 }, (_, n) => job(`w${n}-`, n + 1))
    await admitted(job('done', 0), ...many)
    const stopped = lanes.stop(60_000)
    gate.resolve('done')
    await stopped
    const left = (await rows()).map(({ payload, isClaimed }) => ({ payload, isClaimed }))
    expect(await bundles()).toEqual([])
    expect(left).toEqual(many.map(({ payload }) => ({ payload, isClaimed: false })).filter(({ payload }) => !begun.includes(payload)))
    expect(left.length).toBeGreaterThan(0)
  })
})
