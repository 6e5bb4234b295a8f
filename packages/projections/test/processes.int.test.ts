import { setTimeout as sleep } from 'node:timers/promises'
import type { Position } from '@tidings/event-store'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processHeartbeat, waitForProcesses } from '../src/index.ts'
import { until } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

afterAll(() => database.drop())

const at = (commit: bigint): Position => ({ commit, prepare: 0n })

const known = async (): Promise<number> => (await database.pool.query('select 1 from ops.process')).rowCount ?? 0

test('the call returns when every live process has seen the position, and not before', async () => {
  const { pool } = database
  const seen = { one: at(1n), two: at(1n) }
  const one = processHeartbeat({ pool, role: 'command-api', position: () => seen.one })
  const two = processHeartbeat({ pool, role: 'consumers', position: () => seen.two })
  await until(async () => (await known()) === 2)
  expect(await waitForProcesses(pool, at(1n))).toBe(true)
  expect(await waitForProcesses(pool, at(2n), { timeoutMs: 50 })).toBe(false)
  const waiting = waitForProcesses(pool, at(2n))
  seen.one = at(2n)
  expect(await Promise.race([waiting, sleep(400, 'still waiting')])).toBe('still waiting')
  seen.two = at(3n)
  expect(await waiting).toBe(true)
  await Promise.all([one.stop(), two.stop()])
  expect(await known()).toBe(0)
})

test('a process that died holds up no other', async () => {
  const { pool } = database
  await pool.query(
    `insert into ops.process values (gen_random_uuid(), 'command-api', now(), clock_timestamp() - interval '5.1 seconds', 1, 0)`,
  )
  expect(await waitForProcesses(pool, at(2n), { timeoutMs: 50 })).toBe(true)
})
