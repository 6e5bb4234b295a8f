import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import { inboxDepth } from '../src/depth.ts'
import { runLanes } from '../src/run-lanes.ts'

const KIND = 'test'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

afterEach(async () => {
  await db.pool.query('truncate inbox.job')
})

/** What a crash of Postgres may do to a claim, which does not wait for the disk. */
const forgetClaims = async () => (await db.pool.query(`update inbox.job set token = null, due_at = now() - interval '1 s'`)).rowCount
const waiting = async () => (await inboxDepth(db.pool))[0]?.waiting ?? 0

test('a job whose claim Postgres forgot is not begun a second time by the process that is at it', async () => {
  const job = { workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a'), lane: 'a', seq: 1n, payload: 'a1' }
  await transaction(db.pool, (tx) => admit(tx, KIND, [job]))
  const finished = Promise.withResolvers<void>()
  const begun: number[] = []
  let active = 0
  const lanes = runLanes({
    pool: db.pool,
    kind: KIND,
    pollMs: 20,
    work: async () => {
      active++
      begun.push(active)
      await finished.promise
      active--
      return 'done'
    },
  })
  try {
    await until(() => expect(begun).toHaveLength(1))
    expect(await forgetClaims()).toBe(1)
    // It is claimed again, for the work that goes on: no other process can claim it meanwhile.
    await until(async () => expect((await db.pool.query('select token is not null as held from inbox.job')).rows).toEqual([{ held: true }]))
    finished.resolve()
    await until(async () => expect(await waiting()).toBe(0))
    expect(begun).toEqual([1])
  } finally {
    finished.resolve()
    await lanes.stop()
  }
})

test('a job whose end Postgres forgot does not wait for the end of its lease', async () => {
  const job = { workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a'), lane: 'a', seq: 1n, payload: 'a1' }
  await transaction(db.pool, (tx) => admit(tx, KIND, [job]))
  const finished = Promise.withResolvers<void>()
  const faults: unknown[] = []
  let begun = 0
  const lanes = runLanes({
    pool: db.pool,
    kind: KIND,
    pollMs: 20,
    leaseMs: 3_600_000,
    onFault: (error) => faults.push(error),
    work: async () => {
      begun++
      await finished.promise
      return begun === 1 ? { type: 'Deferred' as const, inMs: 10, counts: false, deferredFor: 'provider_outage' as const } : 'done'
    },
  })
  try {
    await until(() => expect(begun).toBe(1))
    const { rows } = await db.pool.query<{ token: string; due_at: string }>('select token::text, due_at::text from inbox.job')
    // The database falls back to the claim, in whose lease an hour is left, and is away for a moment.
    await db.pool.query(`create function forget() returns trigger language plpgsql as $f$ begin
      new.token = ${rows[0]?.token}; new.due_at = '${rows[0]?.due_at}'; return new; end $f$`)
    await db.pool.query(
      'create trigger forget before update on inbox.job for each row when (new.deferred_for is not null) execute function forget()',
    )
    finished.resolve()
    await until(async () =>
      expect((await db.pool.query('select deferred_for from inbox.job')).rows).toEqual([{ deferred_for: 'provider_outage' }]),
    )
    await transaction(db.pool, async (tx) => {
      await tx.query('drop trigger forget on inbox.job')
      await tx.query('drop function forget')
      await tx.query('alter function inbox.settle_and_claim rename to away')
    })
    await until(() => expect(faults).not.toEqual([]))
    await db.pool.query('alter function inbox.away rename to settle_and_claim')
    await until(async () => expect(await waiting()).toBe(0))
    expect(begun).toBe(2)
  } finally {
    finished.resolve()
    await lanes.stop()
  }
})
