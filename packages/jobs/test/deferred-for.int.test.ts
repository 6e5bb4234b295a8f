import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import { deferredJobs } from '../src/depth.ts'
import { DEFERRED_FOR, type Deferral, type DeferredFor } from '../src/job.ts'
import { settleAndClaim } from '../src/settle-and-claim.ts'

const KIND = 'test'
const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')
const CAMPAIGN = '0192b1f0-0000-7000-8000-00000000000c'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(() => db.pool.query('truncate inbox.job'))

/** Admits a job, claims it, and puts it off. */
const putOff = async (deferral: Pick<Deferral, 'deferredFor' | 'deferredBy' | 'error'>, kind = KIND): Promise<void> => {
  const [seq] = (await db.pool.query<{ seq: string }>(`select nextval('inbox.claim_token')::text as seq`)).rows
  const job = { workspaceId, lane: `lane ${seq?.seq}`, seq: BigInt(seq?.seq ?? 0), payload: 'p' }
  const { claimed } = await transaction(db.pool, (tx) => admit(tx, kind, [job], { room: 1, leaseMs: 30_000 }))
  const settled = claimed.map((one) => ({ job: one, again: { type: 'Deferred' as const, inMs: 3_600_000, counts: false, ...deferral } }))
  await settleAndClaim(db.pool, { kind, settled, limit: 0, leaseMs: 30_000, after: null })
}
const waits = async () => (await db.pool.query('select deferred_for, deferred_by, last_error from inbox.job order by seq')).rows

test.each(DEFERRED_FOR)('a job can wait for %s', async (deferredFor) => {
  await putOff({ deferredFor })
  expect(await waits()).toEqual([{ deferred_for: deferredFor, deferred_by: null, last_error: null }])
})

test('the table takes no other reason than the type has, and names a campaign or flow only where one can be meant', async () => {
  const { rows } = await db.pool.query<{ list: string }>(
    `select pg_get_constraintdef(oid) as list from pg_constraint where conname = 'job_deferred_for_check'`,
  )
  expect([...(rows[0]?.list ?? '').matchAll(/'(\w+)'/g)].map(([, name]) => name).sort()).toEqual([...DEFERRED_FOR].sort())
  for (const deferredFor of DEFERRED_FOR) {
    await db.pool.query('truncate inbox.job')
    const named = putOff({ deferredFor, deferredBy: CAMPAIGN })
    const mayName: readonly DeferredFor[] = ['quiet_hours', 'campaign_paused', 'flow_paused']
    if (mayName.includes(deferredFor)) await named
    else await expect(named).rejects.toThrow('job_check')
  }
})

test('an error is beside what a job waits for, stays while it is tried, and goes with a later wait that has none', async () => {
  await putOff({ deferredFor: 'fault', error: 'the flow 7 is paused, quiet hours' })
  expect(await waits()).toEqual([{ deferred_for: 'fault', deferred_by: null, last_error: 'the flow 7 is paused, quiet hours' }])
  await db.pool.query('update inbox.job set due_at = now()')
  const { claimed } = await settleAndClaim(db.pool, { kind: KIND, settled: [], limit: 1, leaseMs: 30_000, after: null })
  expect(await waits()).toEqual([{ deferred_for: null, deferred_by: null, last_error: 'the flow 7 is paused, quiet hours' }])
  const again: Deferral = {
    type: 'Deferred',
    inMs: 60_000,
    counts: false,
    deferredFor: 'campaign_paused',
    deferredBy: CAMPAIGN,
    isAside: true,
  }
  const settled = claimed.map((job) => ({ job, again }))
  await settleAndClaim(db.pool, { kind: KIND, settled, limit: 0, leaseMs: 30_000, after: null })
  expect(await waits()).toEqual([{ deferred_for: 'campaign_paused', deferred_by: CAMPAIGN, last_error: null }])
})

test('what waits for what is counted by kind, and a job that is claimed waits for nothing', async () => {
  for (const deferredFor of ['retry', 'retry', 'quiet_hours'] as const) await putOff({ deferredFor })
  await putOff({ deferredFor: 'retry' }, 'other')
  expect(await deferredJobs(db.pool)).toEqual([
    { kind: 'other', deferredFor: 'retry', jobs: 1 },
    { kind: KIND, deferredFor: 'quiet_hours', jobs: 1 },
    { kind: KIND, deferredFor: 'retry', jobs: 2 },
  ])
  await db.pool.query(`update inbox.job set due_at = now() where deferred_for = 'retry' and kind = $1`, [KIND])
  await settleAndClaim(db.pool, { kind: KIND, settled: [], limit: 10, leaseMs: 30_000, after: null })
  expect(await deferredJobs(db.pool)).toEqual([
    { kind: 'other', deferredFor: 'retry', jobs: 1 },
    { kind: KIND, deferredFor: 'quiet_hours', jobs: 1 },
  ])
})
