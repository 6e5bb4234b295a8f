import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import { listDeadLetters, moveToDeadLetter, redriveDeadLetter } from '../src/dead-letters.ts'
import type { Deferral, NewJob, Verdict } from '../src/job.ts'
import { type RunningLanes, runLanes } from '../src/run-lanes.ts'
import { settleAndClaim } from '../src/settle-and-claim.ts'
import { wakeAside } from '../src/wake-aside.ts'

const KIND = 'aside'
const A = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')
const NIGHT = 'quiet_hours'
const UNTIL_MORNING: Deferral = { type: 'Deferred', inMs: 8 * 3_600_000, counts: false, isAside: true, deferredFor: NIGHT }

let db: TestDatabase
let running: RunningLanes[] = []
let isNight = true
let left: string[] = []
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate inbox.job')
  isNight = true
  left = []
})
afterEach(async () => {
  await Promise.all(running.map((lanes) => lanes.stop(100)))
  running = []
})

const job = (lane: string, seq: number, payload = `${lane}${seq}`): NewJob => ({ workspaceId: A, lane, seq: BigInt(seq), payload })
const put = (...jobs: NewJob[]) => transaction(db.pool, (tx) => admit(tx, KIND, jobs))
/** Those whose payload ends with `!` leave at any time. */
const judge = ({ payload }: Readonly<{ payload: string }>): Verdict => {
  if (isNight && !payload.endsWith('!')) return UNTIL_MORNING
  left.push(payload)
  return 'done'
}
const start = (): RunningLanes => {
  const lanes = runLanes({ pool: db.pool, kind: KIND, pollMs: 20, work: async (one) => judge(one) })
  running.push(lanes)
  return lanes
}
const waitAside = async (): Promise<number> => (await db.pool.query('select from inbox.job where aside and token is null')).rowCount ?? 0
const morning = () => db.pool.query(`update inbox.job set due_at = now() - interval '1 s' where aside`)

test('a first attempt that waits for its time delays no later one of its lane', async () => {
  start()
  await put(job('a', 1), job('a', 2, 'a2!'), job('a', 3), job('a', 4, 'a4!'))
  await until(() => expect(left).toEqual(['a2!', 'a4!']))
  await until(async () => expect(await waitAside()).toBe(2))
  await put(job('a', 5, 'a5!'))
  await until(() => expect(left).toEqual(['a2!', 'a4!', 'a5!']))
})

test('those of a lane that waited leave in their order when their time has come, all of them at once', async () => {
  start()
  await put(...[1, 2, 3, 4, 5].flatMap((seq) => [job('a', seq), job('b', 10 + seq)]))
  await until(async () => expect(await waitAside()).toBe(10))
  isNight = false
  await morning()
  await until(() => expect(left).toHaveLength(10))
  for (const lane of ['a', 'b']) {
    const own = left.filter((payload) => payload.startsWith(lane))
    expect(own).toEqual([...own].sort((x, y) => Number(x.slice(1)) - Number(y.slice(1))))
  }
})

test('in the order of the lane also where the moments at which they were put off differ', async () => {
  await put(job('a', 1), job('a', 2), job('a', 3))
  for (const inMs of [5_000_000, 3_000_000, 4_000_000]) {
    const { claimed } = await settleAndClaim(db.pool, { kind: KIND, settled: [], limit: 1, leaseMs: 30_000, after: null })
    const settled = claimed.map((one) => ({ job: one, again: { ...UNTIL_MORNING, inMs } }))
    await settleAndClaim(db.pool, { kind: KIND, settled, limit: 0, leaseMs: 30_000, after: null })
  }
  const { rows } = await db.pool.query<{ payload: string }>('select payload from inbox.job order by due_at, seq')
  expect(rows.map(({ payload }) => payload)).toEqual(['a1', 'a2', 'a3'])
})

test('what they wait for is over: they are woken by it, in their order, and nothing else is', async () => {
  start()
  await put(job('a', 1), job('a', 2), job('b', 3), job('c', 4))
  await until(async () => expect(await waitAside()).toBe(4))
  await db.pool.query(`update inbox.job set deferred_for = 'flow_paused', deferred_by = gen_random_uuid() where payload = 'b3'`)
  isNight = false
  expect(await wakeAside(db.pool, { kind: KIND, workspaceId: A, deferredFor: NIGHT, lanes: ['a'] })).toBe(2)
  await until(() => expect(left).toEqual(['a1', 'a2']))
  expect(await wakeAside(db.pool, { kind: KIND, workspaceId: asWorkspaceId(crypto.randomUUID()), deferredFor: NIGHT })).toBe(0)
  expect(await wakeAside(db.pool, { kind: KIND, workspaceId: A, deferredFor: NIGHT })).toBe(1)
  await until(() => expect(left).toEqual(['a1', 'a2', 'c4']))
  expect(await waitAside()).toBe(1)
})

test('one that was tried before is woken too', async () => {
  start()
  await put(job('a', 1))
  await until(async () => expect(await waitAside()).toBe(1))
  await db.pool.query('update inbox.job set attempt = 1')
  isNight = false
  expect(await wakeAside(db.pool, { kind: KIND, workspaceId: A, deferredFor: NIGHT })).toBe(1)
  await until(() => expect(left).toEqual(['a1']))
})

test('more than one batch of them is woken, and a lane that is spread over batches leaves in its order', async () => {
  const many = Array.from({ length: 1_200 }, (_, n) => job(n % 30 === 0 ? 'a' : `b${n}`, n + 1, `${n % 30 === 0 ? 'a' : 'b'}${n}`))
  await put(...many)
  await db.pool.query(`update inbox.job set aside = true, deferred_for = $1, due_at = now() + interval '8 hours'`, [NIGHT])
  isNight = false
  expect(await wakeAside(db.pool, { kind: KIND, workspaceId: A, deferredFor: NIGHT })).toBe(1_200)
  start()
  await until(() => expect(left).toHaveLength(1_200))
  const inLane = ({ payload }: Readonly<{ payload: string }>) => payload.startsWith('a')
  expect(left.filter((payload) => inLane({ payload }))).toEqual(many.filter(inLane).map(({ payload }) => payload))
})

test('one that comes due while its lane is at work goes back into it, and one that was a dead letter is begun beside those that wait', async () => {
  await put(job('a', 1))
  const claim = () => settleAndClaim(db.pool, { kind: KIND, settled: [], limit: 5, leaseMs: 30_000, after: null })
  const [first] = (await claim()).claimed
  if (first === undefined) throw new Error('nothing was claimed')
  await settleAndClaim(db.pool, { kind: KIND, settled: [{ job: first, again: UNTIL_MORNING }], limit: 0, leaseMs: 30_000, after: null })
  await put(job('a', 2))
  const [second] = (await claim()).claimed
  expect(second?.payload).toBe('a2')
  await morning()
  expect((await claim()).claimed).toEqual([])
  if (second === undefined) throw new Error('nothing was claimed')
  await moveToDeadLetter(db.pool, KIND, { job: second, error: new Error('poison') })
  expect((await claim()).claimed.map(({ payload }) => payload)).toEqual(['a1'])
  await db.pool.query(`update inbox.job set token = null, aside = true, due_at = now() + interval '8 hours'`)
  const [letter] = await listDeadLetters(db.pool, { limit: 1 })
  await redriveDeadLetter(db.pool, letter?.id ?? '')
  expect((await claim()).claimed.map(({ payload }) => payload)).toEqual(['a2'])
})
