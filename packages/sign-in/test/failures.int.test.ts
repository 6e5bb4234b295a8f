import { Refused } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFailures, deleteOldFailures } from '../src/failures.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const MINUTE = 60_000
/** Moves everything that happened so much into the past. */
const passed = (ms: number) =>
  db.pool.query(
    'update ops.sign_in_failure set failed = (select array_agg(t - $1::bigint order by t) from unnest(failed) t), last_at = last_at - $1::bigint',
    [ms],
  )
const refused = async (work: Promise<unknown>): Promise<number> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Refused)) throw new Error('it was not refused')
  expect(error.code).toBe('login_slowed')
  return Number(error.context.retryAfterSeconds)
}

it('ten fail in a quarter of an hour, and the eleventh is refused until the first of them is over', async () => {
  const { take } = createFailures(db.pool)
  for (let n = 0; n < 9; n++) await take('a')
  await passed(5 * MINUTE)
  await take('a')
  expect(await refused(take('a'))).toBeGreaterThan(9 * 60)
  // What is refused is not counted, so it does not make the others wait longer.
  for (let n = 0; n < 20; n++) await refused(take('a'))
  expect(await refused(take('a'))).toBeLessThanOrEqual(10 * 60)
  await take('b')
  await passed(10 * MINUTE)
  for (let n = 0; n < 9; n++) await take('a')
  expect(await refused(take('a'))).toBeLessThanOrEqual(5 * 60)
})

it('of forty at once, of two processes, ten pass', async () => {
  const processes = [createFailures(db.pool), createFailures(db.pool)]
  const all = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => processes[n % 2]!.take('c')))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
})

it('what succeeded does not count, of several in one moment that one alone', async () => {
  const { take } = createFailures(db.pool)
  const taken = await Promise.all(Array.from({ length: 10 }, () => take('d')))
  await refused(take('d'))
  await taken[3]?.giveBack()
  await taken[3]?.giveBack()
  await take('d')
  await refused(take('d'))
})

it('keeps no address, and nothing that is over', async () => {
  await createFailures(db.pool).take('address someone@acme.example')
  const { rows } = await db.pool.query<{ row: string }>('select t::text as row from ops.sign_in_failure t')
  expect(rows.map(({ row }) => row).join()).not.toMatch(/someone|acme/)
  expect(await deleteOldFailures(db.pool, 100)).toBe(0)
  // Ten of one moment were counted some milliseconds ahead, so a quarter of an hour would not be enough for all.
  await passed(16 * MINUTE)
  expect(await deleteOldFailures(db.pool, 2)).toBe(2)
  await deleteOldFailures(db.pool, 100)
  expect((await db.pool.query('select from ops.sign_in_failure')).rowCount).toBe(0)
})

it('what a clock that was ahead has counted is over, and what was counted beside it is not', async () => {
  const { take } = createFailures(db.pool)
  await db.pool.query('truncate ops.sign_in_failure')
  for (let n = 0; n < 10; n++) await take('ahead')
  await refused(take('ahead'))
  for (const ms of [2 * MINUTE, 24 * 60 * MINUTE]) {
    await passed(-ms)
    for (let n = 0; n < 10; n++) await take('ahead')
    await refused(take('ahead'))
  }
  await passed(MINUTE)
  expect(await refused(take('ahead'))).toBeLessThanOrEqual(14 * 60)
})
