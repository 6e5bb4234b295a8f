import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import type { Deferral, NewJob } from '../src/job.ts'
import { type Settled, settleAndClaim } from '../src/settle-and-claim.ts'
import { renewSuspensions, resumeJobs, suspendedWorkspaces, suspendJobs } from '../src/suspensions.ts'

const KIND = 'test'
const HELD = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')
const OTHER = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000b')
const SUSPENDED: Deferral = { type: 'Deferred', inMs: 60_000, counts: false, deferredFor: 'workspace_suspended' }
const LEASE = { kind: KIND, limit: 256, leaseMs: 30_000, after: null }

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(() => db.pool.query('truncate inbox.job, inbox.suspended_workspace'))

const job = (lane: string, seq: number, workspaceId = HELD): NewJob => ({ workspaceId, lane, seq: BigInt(seq), payload: `${lane}${seq}` })
const admitted = (jobs: readonly NewJob[], room = 0) => transaction(db.pool, (tx) => admit(tx, KIND, jobs, { room, leaseMs: 30_000 }))
const round = async (settled: readonly Settled[] = []) => (await settleAndClaim(db.pool, { ...LEASE, settled })).claimed
const claimed = async () => (await round()).map(({ payload }) => payload).sort()
const expireSuspensions = () => db.pool.query(`update inbox.suspended_workspace set suspended_until = now() - interval '1 ms'`)

test('what a held workspace has waiting is claimed neither by a round nor as it is admitted; what others have is', async () => {
  await admitted([job('a', 1), job('b', 2)])
  await suspendJobs(db.pool, KIND, HELD)
  const { added, claimed: atOnce } = await admitted([job('c', 3), job('d', 4, OTHER)], 10)
  expect([added, atOnce.map(({ payload }) => payload)]).toEqual([2, ['d4']])
  await admitted([job('e', 5, OTHER)])
  expect(await claimed()).toEqual(['e5'])
  expect(await claimed()).toEqual([])
})

test('after the release all of it can be claimed at once, each lane in its order', async () => {
  await admitted([job('a', 1), job('a', 2), job('b', 3), job('b', 4)])
  const heads = await round()
  await suspendJobs(db.pool, KIND, HELD)
  // The heads were claimed before the hold, and come back.
  await round(heads.map((head) => ({ job: head, again: SUSPENDED })))
  await admitted([job('a', 5)])
  expect(await claimed()).toEqual([])
  await resumeJobs(db.pool, KIND, HELD)
  const first = await round()
  expect(first.map(({ payload }) => payload).sort()).toEqual(['a1', 'b3'])
  const second = await round(first.map((done) => ({ job: done, again: null })))
  expect(second.map(({ payload }) => payload).sort()).toEqual(['a2', 'b4'])
  expect((await round(second.map((done) => ({ job: done, again: null })))).map(({ payload }) => payload)).toEqual(['a5'])
})

test('what waits for another reason than the hold goes on waiting', async () => {
  await admitted([job('a', 1), job('b', 2)])
  const [first, second] = [...(await round())].sort((one, other) => Number(one.seq - other.seq))
  await round([
    { job: first!, again: SUSPENDED },
    { job: second!, again: { ...SUSPENDED, deferredFor: 'provider_outage' } },
  ])
  await resumeJobs(db.pool, KIND, HELD)
  expect(await claimed()).toEqual(['a1'])
})

test('a hold that is not renewed expires', async () => {
  await admitted([job('a', 1)])
  await suspendJobs(db.pool, KIND, HELD)
  await expireSuspensions()
  await renewSuspensions(db.pool, KIND, [HELD])
  expect(await claimed()).toEqual([])
  await expireSuspensions()
  expect(await claimed()).toEqual(['a1'])
})

test('a hold that was released is not renewed', async () => {
  await admitted([job('a', 1)])
  await suspendJobs(db.pool, KIND, HELD)
  expect(await suspendedWorkspaces(db.pool, KIND)).toEqual([HELD])
  await resumeJobs(db.pool, KIND, HELD)
  await renewSuspensions(db.pool, KIND, [HELD])
  expect(await suspendedWorkspaces(db.pool, KIND)).toEqual([])
  expect(await claimed()).toEqual(['a1'])
})

test('a hold is that of one kind of jobs', async () => {
  await admitted([job('a', 1)])
  await suspendJobs(db.pool, 'another kind', HELD)
  expect(await claimed()).toEqual(['a1'])
})

/** Rows of jobs that this connection read so far. */
const rowsRead = async (tx: PoolClient): Promise<number> => {
  const { rows } = await tx.query<{ read: number }>(
    `select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as read from pg_stat_xact_user_tables where relid = 'inbox.job'::regclass`,
  )
  return rows[0]?.read ?? Number.NaN
}

/** The next claim: what it claims, and how many rows of jobs it reads. */
const claimAndCount = () =>
  transaction(db.pool, async (tx) => {
    const before = await rowsRead(tx)
    const text =
      'select payload from inbox.settle_and_claim($1, array[]::bigint[], null, null, null, null, null, null, null, null, null, null, 256, 30000, null, null, null)'
    const { rows } = await tx.query<{ payload: string }>(text, [KIND])
    return { payloads: rows.map((row) => row.payload), read: (await rowsRead(tx)) - before }
  })

test('a claim reads a few rows, beside one held lane and beside 100 000, whatever Postgres knows of the table', async () => {
  // It would get to know it while the test counts.
  await db.pool.query('alter table inbox.job set (autovacuum_enabled = false)')
  await suspendJobs(db.pool, KIND, HELD)
  for (const lanes of [1, 100_000]) {
    await db.pool.query(
      `insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at)
       select $1, $2::int + g, 1, $3, 'held', now() - interval '1 minute' from generate_series(1, $2::int) g`,
      [KIND, lanes, HELD],
    )
    for (const known of ['nothing', 'its rows']) {
      if (known === 'its rows') await db.pool.query('analyze inbox.job, inbox.suspended_workspace')
      await admitted([job(`beside ${lanes}, ${known} `, 1, OTHER)])
      const { payloads, read } = await claimAndCount()
      expect(payloads).toEqual([`beside ${lanes}, ${known} 1`])
      // It claims 128 of the lanes without the hold, and reads 135 rows.
      expect(read).toBeLessThan(20)
    }
  }
})
