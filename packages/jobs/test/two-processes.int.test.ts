import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import { Bundles } from '../src/bundles.ts'
import type { Deferral } from '../src/job.ts'
import { type Claimed, type Settlement, settleAndClaim } from '../src/settle-and-claim.ts'

const KIND = 'test'
const WORKSPACES = ['a', 'b'].map((last) => asWorkspaceId(`0192b1f0-0000-7000-8000-00000000000${last}`))
const LEASE_MS = 3_600_000
const LANES = 5

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

/** A process as the inbox sees it. `written`: settlements of the last round, which a fault may have it write again. */
type Worker = { bundles: Bundles; claims: Claimed[]; settled: Settlement[]; tokens: string[]; written: readonly Settlement[] }
const createWorker = (): Worker => ({ bundles: new Bundles(() => undefined), claims: [], settled: [], tokens: [], written: [] })

const AGAIN = { type: 'Deferred', deferredFor: 'retry' } as const
const VERDICTS: readonly (Deferral | null)[] = [
  null,
  null,
  null,
  { ...AGAIN, inMs: 60_000, counts: true },
  { ...AGAIN, inMs: 0, counts: false },
]

const who = fc.integer({ min: 0, max: 1 })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('admit'),
      who,
      lanes: fc.array(fc.nat(LANES - 1), { minLength: 1, maxLength: 4 }),
      room: fc.integer({ min: 0, max: 6 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('finish'), who, nth: fc.nat(9), verdict: fc.nat(VERDICTS.length - 1) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('round'), who, limit: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('late'), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill'), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat'), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('due'), who }) },
)
type Step = Readonly<{ do: string; who: number; lanes?: readonly number[]; room?: number; nth?: number; verdict?: number; limit?: number }>

/** What the log would say, and what the workers were handed. */
class World {
  readonly workers = [createWorker(), createWorker()]
  readonly done = new Set<string>()
  readonly begun = new Map<string, bigint>()
  admitted = 0

  async take(one: Step): Promise<void> {
    const worker = this.workers[one.who]!
    if (one.do === 'admit') await this.#admit(worker, one.lanes!, one.room!)
    if (one.do === 'finish') this.finish(worker, one.nth!, VERDICTS[one.verdict!]!)
    if (one.do === 'round') await this.round(worker, one.limit!)
    if (one.do === 'late') for (const token of worker.tokens) worker.bundles.open(token)
    if (one.do === 'kill') await this.kill(worker)
    if (one.do === 'repeat') worker.settled.unshift(...worker.written)
    if (one.do === 'due') await makeDue()
  }

  async #admit(worker: Worker, lanes: readonly number[], room: number): Promise<void> {
    const jobs = lanes.map((lane) => {
      const seq = BigInt(++this.admitted)
      return { workspaceId: WORKSPACES[lane % 2]!, lane: `lane${lane}`, seq, payload: `lane${lane}/${seq}` }
    })
    const { claimed, unbundled } = await transaction(db.pool, (tx) => admit(tx, KIND, jobs, { room, leaseMs: LEASE_MS, bundled: true }))
    for (const token of unbundled) worker.bundles.open(token)
    worker.bundles.add(claimed)
    this.#handed(worker, claimed)
  }

  finish(worker: Worker, nth: number, again: Deferral | null): void {
    const [job] = worker.claims.splice(nth % Math.max(1, worker.claims.length), 1)
    if (job === undefined) return
    // What the log has an outcome of is not handed over again; it is looked up wherever the job was claimed before.
    if (this.done.has(job.payload)) worker.settled.push({ job, again: null })
    else {
      if (again === null) this.done.add(job.payload)
      worker.settled.push({ job, again })
    }
  }

  async round(worker: Worker, limit: number): Promise<void> {
    const settled = worker.bundles.gather(worker.settled)
    worker.settled = []
    worker.written = settled
    this.#handed(worker, (await settleAndClaim(db.pool, { kind: KIND, settled, limit, leaseMs: LEASE_MS, after: null })).claimed)
  }

  /** Its leases end some day. */
  async kill(worker: Worker): Promise<void> {
    for (const table of ['job', 'bundle'])
      await db.pool.query(`update inbox.${table} set due_at = clock_timestamp() - interval '1 s' where token = any ($1::bigint[])`, [
        worker.tokens,
      ])
    Object.assign(worker, createWorker())
  }

  #handed(worker: Worker, claimed: readonly Claimed[]): void {
    for (const job of claimed) {
      const [lane = ''] = job.payload.split('/')
      // A claim that says it is the first lets its worker trust its memory.
      if (!job.claimedBefore) {
        expect(this.done.has(job.payload)).toBe(false)
        expect(job.seq > (this.begun.get(lane) ?? 0n)).toBe(true)
        this.begun.set(lane, job.seq)
      }
      const atWork = this.workers.flatMap(({ claims }) => claims)
      expect(atWork.filter((other) => other.lane === job.lane)).toEqual([])
      worker.claims.push(job)
      if (!worker.tokens.includes(job.token)) worker.tokens.push(job.token)
    }
  }

  /** Every job that is not done is one row, or in one bundle. */
  async check(): Promise<void> {
    const { rows } = await db.pool.query<{ payload: string }>(
      'select payload from inbox.job union all select unnest(payloads) from inbox.bundle',
    )
    const there = rows.map(({ payload }) => payload)
    expect(new Set(there).size).toBe(there.length)
    const notDone = there.filter((payload) => !this.done.has(payload))
    expect(notDone).toHaveLength(this.admitted - this.done.size)
  }
}

const makeDue = () => db.pool.query('update inbox.job set due_at = clock_timestamp() where token is null and due_at is not null')

test('whatever two processes do, and wherever one is killed, each job is done, once, in the order of its lane', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      await db.pool.query('truncate inbox.job, inbox.bundle')
      const world = new World()
      for (const one of steps) {
        await world.take(one)
        await world.check()
      }
      const [first, second] = world.workers
      await world.kill(second!)
      // Each pass ends at least the first job of a lane.
      for (let pass = 0; pass <= world.admitted; pass++) {
        await makeDue()
        await world.round(first!, 100)
        while (first!.claims.length > 0) world.finish(first!, 0, null)
      }
      await world.round(first!, 100)
      expect(world.done.size).toBe(world.admitted)
      const { rows } = await db.pool.query('select payload from inbox.job union all select unnest(payloads) from inbox.bundle')
      expect(rows).toEqual([])
    }),
    { numRuns: 60 },
  )
})
