import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { patientPool, type TestDatabase, testDatabase, until } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { admission, admit } from '../src/admit.ts'
import type { Job } from '../src/job.ts'
import { type RunningLanes, runLanes } from '../src/run-lanes.ts'
import { suspendJobs } from '../src/suspensions.ts'

const KINDS = ['one', 'two'] as const
const workspace = (n: number): WorkspaceId => asWorkspaceId(`0192b1f0-0000-7000-8000-00000000000${n}`)

let db: TestDatabase
let running: RunningLanes[] = []
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(() => db.pool.query('truncate inbox.job, inbox.suspended_workspace'))
afterEach(async () => {
  await Promise.all(running.map((lanes) => lanes.stop(100)))
  running = []
})

const lanesOf = (kind: string, work: (job: Job) => ReturnType<Parameters<typeof runLanes>[0]['work']>): RunningLanes => {
  const lanes = runLanes({ pool: db.pool, kind, work })
  running.push(lanes)
  return lanes
}
/** Admits as another process does: no loop of this one hears of it. */
const admitElsewhere = (kind: string, n: number) =>
  transaction(db.pool, (tx) => admit(tx, kind, [{ workspaceId: workspace(1), lane: `${n}`, seq: BigInt(n), payload: `${n}` }]))

test('what another process admits is found, of each kind', async () => {
  const done: string[] = []
  for (const kind of KINDS)
    lanesOf(kind, async ({ payload }) => {
      done.push(`${kind} ${payload}`)
      return 'done'
    })
  for (const n of [1, 2]) {
    for (const kind of KINDS) await admitElsewhere(kind, n)
    await until(() =>
      expect(done.toSorted()).toEqual(
        Array.from({ length: n }, (_, i) => KINDS.map((kind) => `${kind} ${i + 1}`))
          .flat()
          .toSorted(),
      ),
    )
  }
})

test('what is put off is tried again when it is due, and not at the next look of the net', async () => {
  const attempts: number[] = []
  lanesOf('one', async ({ attempt }) => {
    attempts.push(attempt)
    return attempt < 5 ? { type: 'Deferred' as const, inMs: 10, counts: true, deferredFor: 'retry' as const } : 'done'
  })
  await admitElsewhere('one', 1)
  await until(() => expect(attempts).toEqual([0, 1, 2, 3, 4, 5]))
})

test('what another process announces is begun at once, without a look', async () => {
  const done: string[] = []
  const query = db.pool.query
  const isLook = (asked: unknown): boolean => typeof asked === 'object' && (asked as { name?: string }).name === 'first-due'
  const looking = Promise.withResolvers<void>()
  db.pool.query = ((...asked: Parameters<typeof query>) => {
    if (!isLook(asked[0])) return query.apply(db.pool, asked)
    looking.resolve()
    return Promise.reject(new Error('no look'))
  }) as typeof query
  try {
    const listens = `select 1 from pg_stat_activity where datname = current_database() and query = 'listen "tidings_due"'`
    // The one of the test before may be about to end.
    await until(async () => expect((await db.pool.query(listens)).rowCount).toBe(0))
    lanesOf('one', async ({ payload }) => {
      done.push(payload)
      return 'done'
    })
    await looking.promise
    await until(async () => expect((await db.pool.query(listens)).rowCount).toBe(1))
    const other = patientPool({ url: db.url, max: 1, name: 'other' })
    for (const n of [1, 2, 3]) {
      const job = { workspaceId: workspace(1), lane: `${n}`, seq: BigInt(n), payload: `${n}` }
      await transaction(other, (tx) => admission('one')(tx, [job]))
      await until(() => expect(done).toHaveLength(n))
    }
    await other.end()
  } finally {
    db.pool.query = query
  }
})

test('all kinds share their looks, and the last that stops ends them', async () => {
  const query = vi.spyOn(db.pool, 'query')
  const looks = () => query.mock.calls.filter(([asked]) => (asked as { name?: string }).name === 'first-due')
  for (const kind of KINDS) lanesOf(kind, async () => 'done')
  await until(() => expect(looks().length).toBeGreaterThan(1))
  expect((looks()[0]![0] as { values?: unknown }).values).toEqual([[...KINDS]])
  await Promise.all(running.splice(0).map((lanes) => lanes.stop(100)))
  const atEnd = looks().length
  await until(() => expect(query.mock.settledResults.every(({ type }) => type !== 'incomplete')).toBe(true))
  lanesOf('one', async () => 'done')
  await until(() => expect(looks().length).toBeGreaterThan(atEnd))
  expect((looks()[atEnd]![0] as { values?: unknown }).values).toEqual([['one']])
  query.mockRestore()
})

const row = fc.record({
  kind: fc.constantFrom(...KINDS),
  workspace: fc.integer({ min: 1, max: 4 }),
  minutes: fc.option(fc.integer({ min: -3, max: 3 })),
})

test('the first that is due is what a naive look says, whatever waits and is held', async () => {
  const world = fc.record({
    rows: fc.array(row, { maxLength: 30 }),
    held: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(world, async ({ rows, held }) => {
      await db.pool.query('truncate inbox.job, inbox.suspended_workspace')
      await Promise.all(held.map((n) => suspendJobs(db.pool, 'one', workspace(n))))
      await db.pool.query(
        `insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at)
         select k, n, n, w, '', now() + m * interval '1 minute' from unnest($1::text[], $2::uuid[], $3::int[]) with ordinality u(k, w, m, n)`,
        [rows.map(({ kind }) => kind), rows.map((one) => workspace(one.workspace)), rows.map(({ minutes }) => minutes)],
      )
      const isFree = (one: (typeof rows)[number]) => one.minutes !== null && !(one.kind === 'one' && held.includes(one.workspace))
      const naive = KINDS.flatMap((kind) => {
        const due = rows.flatMap((one) => (one.kind === kind && isFree(one) ? [Math.max(0, one.minutes!)] : []))
        return due.length === 0 ? [] : [{ kind, minutes: Math.min(...due) }]
      })
      const { rows: found } = await db.pool.query<{ kind: string; due_in_ms: number }>('select * from inbox.first_due($1) order by kind', [
        KINDS,
      ])
      expect(found.map((one) => ({ kind: one.kind, minutes: Math.ceil(one.due_in_ms / 60_000) }))).toEqual(naive)
    }),
    { numRuns: 60 },
  )
})
