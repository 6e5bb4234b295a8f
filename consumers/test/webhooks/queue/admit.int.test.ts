import { randomUUID } from 'node:crypto'
import { asEndpointId, asWorkspaceId, type EndpointId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { type Admitted, admission, admittedOf, type Offer, runAdmission } from '../../../src/webhooks/queue/admit.ts'
import { type RunningQueues, runQueues } from '../../../src/webhooks/queue/run-queues.ts'
import { dropWaiting, type NewDelivery, releaseQueues, settleDeliveries, takeDeliveries } from '../../../src/webhooks/queue/statements.ts'
import { admitDeliveries } from './admit.testing.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const running: RunningQueues[] = []
afterEach(async () => {
  for (const queues of running.splice(0)) await queues.stop(100)
  await db.pool.query('truncate webhooks.delivery, webhooks.queue, webhooks.attempt')
})

let position = 0n
const newEndpoint = () => asEndpointId(randomUUID())
const newDelivery = (endpointId: EndpointId): NewDelivery => {
  const commit = ++position
  const source = `contact-x@${commit}`
  return { endpointId, workspaceId: asWorkspaceId(endpointId), position: { commit, prepare: 0n }, event: 'contact.created', source }
}
const admit = (all: readonly NewDelivery[], offer: Offer, backlog = 1_000): Promise<Admitted> =>
  transaction(db.pool, async (tx) => admittedOf(await runAdmission(tx, admission(all, backlog, offer))))
/** Inserts without a notification to any process. */
const slipIn = (all: readonly NewDelivery[]) => transaction(db.pool, (tx) => admitDeliveries(tx, all, 1_000))

const TAKING = { leaseMs: 60_000, more: 10, room: 10, queues: [], claimedIds: [] }

it('the holder of a queue gets the ids of what is admitted behind all that it has taken, and of nothing else', async () => {
  const [leased, free, behind] = [newEndpoint(), newEndpoint(), newEndpoint()]
  const [owner, other] = [randomUUID(), randomUUID()]
  await slipIn([newDelivery(leased), newDelivery(behind)])
  const taken = await takeDeliveries(db.pool, { owner, ...TAKING })
  const after = (of: string) => taken.find(({ endpointId }) => endpointId === of)?.id ?? null
  await slipIn([newDelivery(behind)])
  const all = [leased, free, behind, leased].map(newDelivery)
  const { ids, dropped } = await admit(all, { owner, after: all.map(({ endpointId }) => after(endpointId)) })
  const stored = (await db.pool.query<{ id: bigint }>('select id from webhooks.delivery where endpoint_id = $1 order by id', [leased])).rows
  expect([ids, dropped]).toEqual([[stored[1]?.id, 0n, 0n, stored[2]?.id], 0])
  const more = [newDelivery(leased)]
  expect((await admit(more, { owner, after: [ids[0] ?? null] })).ids).toEqual([0n])
  expect((await admit([newDelivery(leased)], { owner: other, after: [1_000_000n] })).ids).toEqual([0n])
  expect((await admit([newDelivery(leased)], { owner, after: [null] })).ids).toEqual([0n])
  expect((await admit(more, { owner, after: [1_000_000n] })).ids).toEqual([0n])
})

it('what would be beyond the backlog is counted, and not admitted', async () => {
  const endpointId = newEndpoint()
  const offer = { owner: randomUUID(), after: [null, null, null] }
  expect(
    await admit(
      [1, 2, 3].map(() => newDelivery(endpointId)),
      offer,
      2,
    ),
  ).toEqual({ ids: [0n, 0n, 0n], dropped: 1 })
  const { rows } = await db.pool.query('select waiting from webhooks.queue')
  expect(rows).toEqual([{ waiting: 2 }])
})

it('what is admitted singly to a leased queue begins without a claim, and behind what no process announced', async () => {
  const endpointId = newEndpoint()
  const seen: string[] = []
  const never = { pollMs: 3_600_000, leaseMs: 3_600_000 }
  const work = async ({ source }: NewDelivery) => {
    seen.push(source)
    return { again: null, attempt: null, ms: 1 }
  }
  const queues = runQueues({ pool: db.pool, callMs: 1_000, work, ...never })
  running.push(queues)
  const expected: string[] = []
  const deliver = async () => {
    const all = [newDelivery(endpointId)]
    const offer = queues.offer(all)
    expected.push(...all.map(({ source }) => source))
    offer.admitted(await admit(all, offer))
    await until(() => expect(seen).toEqual(expected))
  }
  const query = vi.spyOn(db.pool, 'query')
  const takes = () => query.mock.calls.filter(([asked]) => (asked as { name?: string }).name === 'webhooks-take').length
  for (let n = 0; n < 50; n++) await deliver()
  // The first, and what this process hears of its own announcement.
  expect(takes()).toBeLessThan(10)
  const before = takes()
  const silent = newDelivery(endpointId)
  await slipIn([silent])
  expected.push(silent.source)
  await deliver()
  expect(takes()).toBeGreaterThan(before)
  query.mockRestore()
  await until(async () => expect((await db.pool.query('select waiting from webhooks.queue')).rows).toEqual([{ waiting: 0 }]))
})

it('what is admitted while a queue is being released is free at once, not when the retry before it is due', async () => {
  const endpointId = newEndpoint()
  const owner = randomUUID()
  await slipIn([newDelivery(endpointId)])
  const [delivery] = await takeDeliveries(db.pool, { owner, ...TAKING })
  await settleDeliveries(db.pool, [{ delivery: delivery!, again: { inMs: 3_600_000, counts: true }, attempt: null }], [])
  const late = newDelivery(endpointId)
  const admitting = await db.pool.connect()
  await admitting.query('begin')
  await admitDeliveries(admitting, [late], 1_000)
  const releasing = releaseQueues(db.pool, owner, [endpointId])
  const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until(async () => expect((await db.pool.query(waits)).rowCount).toBe(1))
  await admitting.query('commit')
  admitting.release()
  await releasing
  const taken = await takeDeliveries(db.pool, { owner: randomUUID(), ...TAKING })
  expect(taken.map(({ source }) => source)).toEqual([late.source])
})

/** An admission to these endpoints that waits because another has made the queue of the last, and has not committed; `end` ends that one. */
const admittingBehind = async (endpoints: readonly EndpointId[], offer: Offer) => {
  const other = await db.pool.connect()
  await other.query('begin')
  await other.query('insert into webhooks.queue (endpoint_id, workspace_id) values ($1, $1)', [endpoints.at(-1)])
  const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
  const all = endpoints.map(newDelivery)
  const admitting = admit(all, offer)
  const blocked = 'select 1 from pg_stat_activity a where $1 = any (pg_blocking_pids(a.pid))'
  await until(async () => expect((await db.pool.query(blocked, [rows[0]?.pid])).rowCount).toBe(1))
  const end = async () => {
    await other.query('rollback')
    other.release()
    return await admitting
  }
  return { all, end }
}

it('each id is that of its delivery, also when the queue of another endpoint goes while the admission waits', async () => {
  const [gone, leased, late] = [newEndpoint(), newEndpoint(), newEndpoint()]
  const owner = randomUUID()
  await slipIn([gone, leased].map(newDelivery))
  const taken = await takeDeliveries(db.pool, { owner, ...TAKING })
  const after = taken.find(({ endpointId }) => endpointId === leased)?.id ?? null
  const { all, end } = await admittingBehind([gone, leased, late], { owner, after: [null, after, null] })
  await transaction(db.pool, (tx) => dropWaiting(tx, { endpointId: asEndpointId(gone), upTo: all[2]!.position, all: true }))
  const { ids } = await end()
  const stored = await db.pool.query<{ id: bigint }>('select id from webhooks.delivery where source = $1', [all[1]?.source])
  expect(ids).toEqual([0n, stored.rows[0]?.id, 0n])
})

it('an admission that waits for the queue that another makes locks no queue meanwhile: two would wait for each other', async () => {
  const [leased, late] = [newEndpoint(), newEndpoint()]
  await slipIn([newDelivery(leased)])
  const { end } = await admittingBehind([leased, late], { owner: randomUUID(), after: [null, null] })
  const free = await db.pool.query('select endpoint_id from webhooks.queue where endpoint_id = $1 for update skip locked', [leased])
  await end()
  expect(free.rows).toEqual([{ endpoint_id: leased }])
})
