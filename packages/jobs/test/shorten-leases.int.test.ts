import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shortenLeases } from '../src/end-claims.ts'
import { admit, suspendJobs } from '../src/index.ts'
import { settleAndClaim } from '../src/settle-and-claim.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const [one, other] = [asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a'), asWorkspaceId('0192b1f0-0000-7000-8000-00000000000b')]
const claim = async () =>
  (await settleAndClaim(db.pool, { kind: 'test', settled: [], limit: 10, leaseMs: 30_000, after: null })).claimed.map(
    ({ payload }) => payload,
  )
/** For those who have a lease. */
const minutesPass = () =>
  Promise.all([
    db.pool.query(`update inbox.job set due_at = due_at - interval '5 minutes' where token is not null`),
    db.pool.query(`update inbox.suspended_workspace set suspended_until = suspended_until - interval '5 minutes'`),
  ])

test('what was claimed, or held, by a clock a day ahead is free soon, and nothing else', async () => {
  const job = (workspaceId: WorkspaceId, lane: string, seq: bigint) => ({ workspaceId, lane, seq, payload: lane })
  const jobs = [job(one, 'claimed ahead', 1n), job(one, 'claimed now', 2n), job(other, 'held ahead', 3n), job(one, 'waits', 4n)]
  await transaction(db.pool, (tx) => admit(tx, 'test', jobs, { room: 0, leaseMs: 30_000 }))
  await suspendJobs(db.pool, 'test', other)
  await db.pool.query(`update inbox.job set due_at = now() + interval '10 days' where payload in ('waits', 'claimed now')`)
  expect(await claim()).toEqual(['claimed ahead'])
  await db.pool.query(`update inbox.job set due_at = due_at + interval '1 day' where token is not null`)
  await db.pool.query(`update inbox.suspended_workspace set suspended_until = suspended_until + interval '1 day'`)
  await db.pool.query(`update inbox.job set due_at = now() where payload = 'claimed now'`)
  expect(await claim()).toEqual(['claimed now'])
  expect(await claim()).toEqual([])
  expect(await shortenLeases(db.pool, 10)).toBe(1)
  expect([await shortenLeases(db.pool, 10), await claim()]).toEqual([0, []])
  await minutesPass()
  expect((await claim()).sort()).toEqual(['claimed ahead', 'claimed now', 'held ahead'])
})
