import { asWorkspaceId } from '@tidings/domain'
import { migrate, transaction } from '@tidings/postgres'
import { startTestPostgres, type TestDatabase, testDatabase } from '@tidings/testing'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { admit, releaseClaims } from '../src/index.ts'
import { settleAndClaim } from '../src/settle-and-claim.ts'

const KIND = 'test'
const LEASE = { room: 10, leaseMs: 30_000 }
const job = (seq: bigint) => ({
  workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a'),
  lane: `${seq}`,
  seq,
  payload: `${seq}`,
})

const claim = async (pool: Pool) => {
  const { claimed } = await settleAndClaim(pool, { kind: KIND, settled: [], limit: 10, leaseMs: 30_000, after: null })
  return claimed.map(({ payload, takenOver }) => ({ payload, takenOver }))
}
const admitted = async (pool: Pool, seq: bigint) => (await transaction(pool, (tx) => admit(tx, KIND, [job(seq)], LEASE))).claimed.length

test('after a real crash of Postgres a job counts as taken over', async () => {
  const server = await startTestPostgres()
  const pool = new Pool({ connectionString: server.url })
  pool.on('error', () => undefined)
  try {
    await migrate(pool)
    expect(await admitted(pool, 1n)).toBe(1)
    await transaction(pool, (tx) => admit(tx, KIND, [job(2n)]))
    await server.kill()
    await server.start()
    expect(await claim(pool)).toContainEqual({ payload: '2', takenOver: true })
    expect(await admitted(pool, 3n)).toBe(0)
    expect(await claim(pool)).toEqual([{ payload: '3', takenOver: true }])
  } finally {
    await pool.end()
    await server.stop()
  }
})

describe('where a crash may have forgotten claims', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await testDatabase()
  })
  afterAll(() => db.drop())
  beforeEach(async () => {
    await db.pool.query('truncate inbox.job, inbox.claims_remembered')
  })

  test('jobs are claimed as usual 10 s after the first look', async () => {
    expect(await admitted(db.pool, 1n)).toBe(0)
    await db.pool.query(`update inbox.claims_remembered set since = since - interval '10 s'`)
    expect(await claim(db.pool)).toEqual([{ payload: '1', takenOver: false }])
    expect(await admitted(db.pool, 2n)).toBe(1)
  })

  test('two kinds of work look at the same moment and both wait', async () => {
    const claims = await Promise.all(['a', 'b', 'c'].map((kind) => transaction(db.pool, (tx) => admit(tx, kind, [job(1n)], LEASE))))
    expect(claims.map(({ claimed }) => claimed.length)).toEqual([0, 0, 0])
  })

  test('a start that knows the workers to be dead does not wait', async () => {
    await claim(db.pool)
    await releaseClaims(db.pool)
    expect(await admitted(db.pool, 1n)).toBe(1)
    expect(await releaseClaims(db.pool)).toBe(1)
    expect(await claim(db.pool)).toEqual([{ payload: '1', takenOver: false }])
  })
})
