import { LogWentBack, type Position, type SeenPosition, Unavailable } from '@tidings/event-store'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLastSeen, startLogMark } from '../../src/stores/log-mark.ts'

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.drop())

const at = (commit: bigint): Position => ({ commit, prepare: commit })
const seenUpTo = (commit: bigint): SeenPosition => {
  const id = `00000000-0000-4000-8000-${String(commit).padStart(12, '0')}`
  return { position: at(commit), event: { position: at(commit), id } }
}

/** The mark of a process that has seen the log up to `world.seen`, which `confirm` checks. */
const startMark = (confirm: () => Promise<void>) => {
  const world = { seen: seenUpTo(7n) }
  const faults: unknown[] = []
  const mark = startLogMark({ pool: db.pool, lastSeen: () => world.seen, confirm, onFault: (error) => faults.push(error) })
  return { world, faults, mark }
}

test('what was seen last is written down, at the stop at the latest', async () => {
  const { world, mark, faults } = startMark(async () => undefined)
  world.seen = seenUpTo(9n)
  await mark.stop()
  expect(await readLastSeen(db.pool)).toEqual(seenUpTo(9n))
  expect(faults).toEqual([])
})

test.each([
  ['that went back: the database may have been restored together with it', new LogWentBack('it was set back')],
  ['that cannot be asked', new Unavailable('it is away')],
])('nothing is written down of a log %s', async (_, refusal) => {
  const { world, mark } = startMark(() => Promise.reject(refusal))
  world.seen = seenUpTo(9n)
  await mark.stop()
  expect((await db.pool.query('select from ops.log_mark')).rowCount).toBe(0)
})

test('a log that gives no answer does not delay the stop', async () => {
  const { world, mark } = startMark(() => new Promise(() => undefined))
  world.seen = seenUpTo(9n)
  await mark.stop()
  expect((await db.pool.query('select from ops.log_mark')).rowCount).toBe(0)
})
