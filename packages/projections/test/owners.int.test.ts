import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { projectionLeases, releaseLeases } from '../src/follow/lease.ts'
import { projectionOwners } from '../src/index.ts'
import { bankLog, forget, run, until, untilAtHead } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

test('an owner is alive once it was heard of since, and no longer when it has given the lease back', async () => {
  const { pool } = database
  const log = bankLog()
  const running = run({ pool, log, owner: 'me' })
  await untilAtHead(running, log)
  await until(async () => (await pool.query('select 1 from ops.projection_status')).rows.length === 1)
  const owners = projectionOwners(pool)
  await until(async () => (await owners())[0]?.alive === true)
  expect(await owners()).toEqual([{ projection: 'accounts', version: 1, owner: 'me', state: 'live', alive: true }])
  await running.stop()
  expect(await owners()).toMatchObject([{ state: 'stopped', alive: false }])
})

test('an owner that died a moment ago is not alive, although its lease and its last word are recent', async () => {
  const { pool } = database
  const log = bankLog()
  const before = run({ pool, log, owner: 'dead' })
  await untilAtHead(before, log)
  await before.stop()
  await projectionLeases.acquire(pool, 'accounts', 'dead')
  // Longer than anybody takes to find it, and not so long that it counts as one of a clock that was ahead.
  await pool.query(`update ops.projection_lease set expires_at = clock_timestamp() + interval '50 seconds'`)
  await pool.query(`update ops.projection_status set state = 'live', heartbeat_at = clock_timestamp() + interval '1 hour'`)
  const owners = projectionOwners(pool)
  expect(await owners()).toMatchObject([{ owner: 'dead', state: 'live', alive: false }])
  const heir = run({ pool, log, owner: 'heir' })
  await until(() => heir.progress.of('accounts')?.state === 'waiting')
  expect(await releaseLeases(pool)).toBe(1)
  await until(async () => (await owners())[0]?.alive === true)
  expect(await owners()).toMatchObject([{ owner: 'heir', state: 'live' }])
  await heir.stop()
})
