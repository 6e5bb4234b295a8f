import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admit, releaseClaims } from '../src/index.ts'
import { settleAndClaim } from '../src/settle-and-claim.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const claim = async () => (await settleAndClaim(db.pool, { kind: 'test', settled: [], limit: 10, leaseMs: 30_000, after: null })).claimed

test('what is claimed may be claimed again, and what waits for its time goes on waiting', async () => {
  const job = (lane: string, seq: bigint) => ({
    workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a'),
    lane,
    seq,
    payload: lane,
  })
  await transaction(db.pool, (tx) => admit(tx, 'test', [job('held', 1n), job('later', 2n)], { room: 0, leaseMs: 30_000 }))
  await db.pool.query(`update inbox.job set due_at = now() + interval '1 hour' where payload = 'later'`)
  expect((await claim()).map(({ payload }) => payload)).toEqual(['held'])
  expect(await claim()).toEqual([])
  expect(await releaseClaims(db.pool)).toBe(1)
  expect((await claim()).map(({ payload }) => payload)).toEqual(['held'])
})
