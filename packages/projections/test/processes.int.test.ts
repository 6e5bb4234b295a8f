import { setTimeout as sleep } from 'node:timers/promises'
import type { Position } from '@tidings/event-store'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { processHeartbeat, waitForProcesses } from '../src/index.ts'
import { until } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
  // One that stands still for five seconds counts as dead. Here no beat is older than that.
  await database.pool.query(`create function public.beat_ahead() returns trigger language plpgsql as $f$ begin
      new.heartbeat_at = new.heartbeat_at + interval '1 hour'; return new; end $f$;
    create trigger beat_ahead before insert or update on ops.process for each row when (new.heartbeat_at >= statement_timestamp())
      execute function public.beat_ahead()`)
})

afterAll(() => database.drop())

/** For what is reached: as long as any machine needs. */
const LONG = { timeoutMs: 60_000 }

const at = (commit: bigint): Position => ({ commit, prepare: 0n })

const known = async (): Promise<number> => (await database.pool.query('select 1 from ops.process')).rowCount ?? 0

test('the call returns when every live process has seen the position, and not before', async () => {
  const { pool } = database
  const seen = { one: at(1n), two: at(1n) }
  const one = processHeartbeat({ pool, role: 'command-api', position: () => seen.one })
  const two = processHeartbeat({ pool, role: 'consumers', position: () => seen.two })
  await until(async () => (await known()) === 2)
  expect(await waitForProcesses(pool, at(1n), LONG)).toBe(true)
  expect(await waitForProcesses(pool, at(2n), { timeoutMs: 50 })).toBe(false)
  const waiting = waitForProcesses(pool, at(2n), LONG)
  seen.one = at(2n)
  expect(await Promise.race([waiting, sleep(400, 'still waiting')])).toBe('still waiting')
  seen.two = at(3n)
  expect(await waiting).toBe(true)
  await Promise.all([one.stop(), two.stop()])
  expect(await known()).toBe(0)
})

test('a process that died delays no other', async () => {
  const { pool } = database
  await pool.query(
    `insert into ops.process values (gen_random_uuid(), 'command-api', now(), clock_timestamp() - interval '5.1 seconds', 1, 0)`,
  )
  expect(await waitForProcesses(pool, at(2n), LONG)).toBe(true)
})

test('a process that cannot follow the log is waited for by no command, and uses no cache before it is waited for again', async () => {
  const { pool } = database
  const seen: { at: Position | null; head: Position } = { at: at(1n), head: at(1n) }
  const heartbeat = processHeartbeat({ pool, role: 'consumers', position: () => seen.at, head: async () => seen.head })
  const rows = async () => (await pool.query('select from ops.process where id = $1', [heartbeat.id])).rowCount
  await heartbeat.begun
  expect(heartbeat.isKnown()).toBe(true)
  expect(await waitForProcesses(pool, at(2n), { timeoutMs: 50 })).toBe(false)
  // It meets an event of a newer version.
  seen.at = null
  expect(heartbeat.isKnown()).toBe(false)
  expect(await waitForProcesses(pool, at(2n), LONG)).toBe(true)
  expect(await rows()).toBe(0)
  // The others have appended up to 3 without it.
  Object.assign(seen, { at: at(2n), head: at(3n) })
  await until(async () => (await rows()) === 1)
  expect(heartbeat.isKnown()).toBe(false)
  expect(await waitForProcesses(pool, at(3n), { timeoutMs: 50 })).toBe(false)
  seen.at = at(3n)
  await until(async () => heartbeat.isKnown())
  expect(await waitForProcesses(pool, at(3n), LONG)).toBe(true)
  await heartbeat.stop()
})

test('a burst of commands asks the database together, and each ends when its own position is reached', async () => {
  const { pool } = database
  const seen = { one: at(0n), own: at(500n) }
  const own = processHeartbeat({ pool, role: 'command-api', position: () => seen.own })
  const one = processHeartbeat({ pool, role: 'consumers', position: () => seen.one })
  await Promise.all([own.begun, one.begun])
  seen.one = at(100n)
  await until(async () => (await pool.query('select from ops.process where position_commit = 100')).rowCount === 1)
  const asked = vi.spyOn(pool, 'query')
  const ends = Array.from({ length: 200 }, (_, n) => waitForProcesses(pool, at(BigInt(n + 1)), n < 100 ? LONG : { timeoutMs: 100 }))
  expect(await Promise.all(ends)).toEqual(Array.from({ length: 200 }, (_, n) => n < 100))
  // A poll each 20 ms, and the heartbeats: not one for each of them.
  expect(asked.mock.calls.length).toBeLessThan(100)
  asked.mockRestore()
  await Promise.all([own.stop(), one.stop()])
})
