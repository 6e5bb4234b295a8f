import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { moveToDeadLetter } from '../src/dead-letters.ts'
import { admit, redriveDeadLetter, releaseClaims } from '../src/index.ts'
import type { Deferral } from '../src/job.ts'
import { type Claimed, settleAndClaim } from '../src/settle-and-claim.ts'

const KIND = 'test'
const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate inbox.job, ops.dead_letter')
})

const admitted = (room: number) =>
  transaction(db.pool, (tx) => admit(tx, KIND, [{ workspaceId, lane: 'a', seq: 1n, payload: 'p' }], { room, leaseMs: 30_000 }))
const claim = async (settled: readonly Readonly<{ job: Claimed; again: Deferral }>[] = []) =>
  (await settleAndClaim(db.pool, { kind: KIND, settled, limit: 10, leaseMs: 30_000, after: null })).claimed
const claimedOnce = async (): Promise<Claimed> => {
  await admitted(0)
  const [job] = await claim()
  if (job === undefined) throw new Error('nothing was claimed')
  return job
}
const seen = (jobs: readonly Claimed[]) => jobs.map(({ attempt, takenOver, claimedBefore }) => ({ attempt, takenOver, claimedBefore }))

describe('no worker had a job before', () => {
  test('that is claimed by its admission', async () => {
    expect(seen((await admitted(1)).claimed)).toEqual([{ attempt: 0, takenOver: false, claimedBefore: false }])
  })

  test('that waited for its first claim', async () => {
    expect(seen([await claimedOnce()])).toEqual([{ attempt: 0, takenOver: false, claimedBefore: false }])
  })
})

describe('a worker had a job before', () => {
  test.each([true, false])('that it gave back, whether that counts as an attempt or not (%s)', async (counts) => {
    const again = await claim([{ job: await claimedOnce(), again: { type: 'Deferred', inMs: 0, counts, deferredFor: 'shutdown' } }])
    expect(seen(again)).toEqual([{ attempt: Number(counts), takenOver: false, claimedBefore: true }])
  })

  test('whose lease ran out', async () => {
    await claimedOnce()
    await db.pool.query('update inbox.job set due_at = clock_timestamp()')
    expect(seen(await claim())).toEqual([{ attempt: 0, takenOver: true, claimedBefore: true }])
  })

  test('that was released from a dead process', async () => {
    await claimedOnce()
    await releaseClaims(db.pool)
    expect(seen(await claim())).toEqual([{ attempt: 0, takenOver: false, claimedBefore: true }])
  })

  test('that was a dead letter', async () => {
    await moveToDeadLetter(db.pool, KIND, { job: await claimedOnce(), error: new Error('sent, but its outcome cannot be recorded') })
    const { rows } = await db.pool.query<{ id: string }>('select id from ops.dead_letter')
    expect(await redriveDeadLetter(db.pool, rows[0]?.id ?? '')).toBe(true)
    expect(seen(await claim())).toEqual([{ attempt: 0, takenOver: false, claimedBefore: true }])
  })
})
