import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import type { Job, NewJob } from '../src/job.ts'
import { type RunningLanes, runLanes } from '../src/run-lanes.ts'

const KIND = 'fair'
const workspace = (n: number): WorkspaceId => asWorkspaceId(`0192b1f0-0000-7000-8000-${String(n).padStart(12, '0')}`)

let db: TestDatabase
let running: RunningLanes[] = []
let gate: PromiseWithResolvers<void>
let atWork: Job[] = []
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate inbox.job')
  gate = Promise.withResolvers()
  atWork = []
})
afterEach(async () => {
  gate.resolve()
  await Promise.all(running.map((lanes) => lanes.stop(2_000)))
  running = []
})

let seq = 0n
const jobsOf = (workspaceId: WorkspaceId, count: number): NewJob[] =>
  Array.from({ length: count }, () => ({ workspaceId, lane: crypto.randomUUID(), seq: ++seq, payload: '' }))

/** Workers whose provider answers nothing until the gate opens. */
const slowLanes = (concurrency: number): RunningLanes => {
  const lanes = runLanes({
    pool: db.pool,
    kind: KIND,
    concurrency,
    work: async (job) => {
      atWork.push(job)
      await gate.promise
      return 'done'
    },
  })
  running.push(lanes)
  return lanes
}
const atWorkOf = (workspaceId: WorkspaceId): number => atWork.filter((job) => job.workspaceId === workspaceId).length
const claimed = async () =>
  (
    await db.pool.query<{ workspace_id: WorkspaceId; n: number }>(
      'select workspace_id, count(*)::int as n from inbox.job where token is not null group by 1',
    )
  ).rows.reduce((all, { workspace_id, n }) => all.set(workspace_id, n), new Map<string, number>())

describe.each([
  [
    'admitted before the process looks',
    async (_: RunningLanes, jobs: NewJob[]) => void (await transaction(db.pool, (tx) => admit(tx, KIND, jobs))),
  ],
  [
    'claimed by their admission',
    async (lanes: RunningLanes, jobs: NewJob[]) => {
      const begin = await transaction(db.pool, (tx) => lanes.admit(tx, jobs))
      begin()
    },
  ],
])('jobs that are %s', (_, put) => {
  test('of one workspace alone run as many as its concurrency, and half of the slots stay free', async () => {
    const lanes = slowLanes(8)
    await put(lanes, jobsOf(workspace(1), 100))
    lanes.wake()
    await until(() => expect(atWork).toHaveLength(8))
    await until(async () => expect(await claimed()).toEqual(new Map([[workspace(1), 16]])))
    // Postgres shows a claim before this process has heard of it.
    await until(() => expect(lanes.load()).toEqual({ running: 8, waiting: 8 }))
  })

  test('of workspaces that come later begin at once, though all that the first has waits for its provider', async () => {
    const lanes = slowLanes(8)
    await put(lanes, jobsOf(workspace(1), 100))
    lanes.wake()
    await until(() => expect(atWork).toHaveLength(8))
    for (const later of [2, 3, 4]) {
      await put(lanes, jobsOf(workspace(later), 1))
      lanes.wake()
      await until(() => expect(atWorkOf(workspace(later))).toBe(1))
    }
    expect(atWorkOf(workspace(1))).toBe(8)
  })
})

test('many workspaces with a backlog each get the same share, and one more that comes still finds a slot', async () => {
  const lanes = slowLanes(8)
  const crowd = Array.from({ length: 7 }, (_, n) => workspace(n + 1))
  await transaction(db.pool, (tx) =>
    admit(
      tx,
      KIND,
      crowd.flatMap((one) => jobsOf(one, 50)),
    ),
  )
  lanes.wake()
  // Sixteen slots, seven workspaces: one part of eight each.
  await until(() => expect(crowd.map(atWorkOf)).toEqual(crowd.map(() => 2)))
  await transaction(db.pool, (tx) => admit(tx, KIND, jobsOf(workspace(99), 5)))
  lanes.wake()
  await until(() => expect(atWorkOf(workspace(99))).toBe(1))
  gate.resolve()
  await until(async () => expect((await db.pool.query('select from inbox.job')).rowCount).toBe(0))
})

test('whatever workspaces have already, no more slots are given than are free, none to one that has half of all, and one at least to one that has none', async () => {
  const share = async (free: number, has: number, of: number): Promise<number> =>
    (await db.pool.query<{ n: number }>('select inbox.share_of($1, $2, $3) as n', [free, has, of])).rows[0]?.n ?? Number.NaN
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 512 }),
      fc.array(fc.integer({ min: 0, max: 256 }), { minLength: 1, maxLength: 6 }),
      async (free, has) => {
        fc.pre(free >= has.length)
        const taken = await Promise.all(has.map((own) => share(free, own, has.length)))
        const left = free - taken.reduce((sum, n) => sum + n, 0)
        expect(left).toBeGreaterThanOrEqual(0)
        for (const [n, own] of has.entries()) {
          if (own === 0) expect(taken[n]).toBeGreaterThanOrEqual(1)
          else if ((taken[n] ?? 0) > 0) expect(own + (taken[n] ?? 0)).toBeLessThanOrEqual((free + own) / 2)
        }
      },
    ),
    { numRuns: 60 },
  )
})
