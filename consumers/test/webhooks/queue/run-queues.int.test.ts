import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { asEndpointId, asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { patientPool, stopWhileAway, type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { DeliveryOutcome } from '../../../src/webhooks/queue/endpoint-queues.ts'
import { type QueuesOptions, type RunningQueues, runQueues } from '../../../src/webhooks/queue/run-queues.ts'
import { type Delivery, dropWaiting, type NewDelivery, shortenQueueLeases } from '../../../src/webhooks/queue/statements.ts'
import { admitDeliveries } from './admit.testing.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const WORKSPACE = asWorkspaceId(randomUUID())
const running: RunningQueues[] = []
afterEach(async () => {
  for (const queues of running.splice(0)) await queues.stop(100)
  await db.pool.query('truncate webhooks.delivery, webhooks.queue, webhooks.attempt')
})

const DONE: DeliveryOutcome = { again: null, attempt: null, ms: 1 }
const run = (work: QueuesOptions['work'], more: Partial<QueuesOptions> = {}): RunningQueues => {
  const queues = runQueues({ pool: db.pool, callMs: 1_000, pollMs: 20, work, ...more })
  running.push(queues)
  return queues
}
let position = 0n
const newDelivery = (endpointId: string): NewDelivery => {
  const commit = ++position
  const source = `contact-x@${commit}`
  return {
    endpointId: asEndpointId(endpointId),
    workspaceId: WORKSPACE,
    position: { commit, prepare: 0n },
    event: 'contact.created',
    source,
  }
}
const newDeliveries = (endpointId: string, count: number) => Array.from({ length: count }, () => newDelivery(endpointId))
const admit = (endpointId: string, count: number, backlog = 1_000_000): Promise<number> =>
  transaction(db.pool, (tx) => admitDeliveries(tx, newDeliveries(endpointId, count), backlog))
const waiting = async (endpointId: string): Promise<readonly number[]> => {
  const { rows } = await db.pool.query<{ counted: number; rows: number }>(
    `select waiting as counted, (select count(*)::int from webhooks.delivery d where d.endpoint_id = q.endpoint_id) as rows
     from webhooks.queue q where endpoint_id = $1`,
    [endpointId],
  )
  return rows.flatMap((row) => [row.counted, row.rows])
}

it('what waits is delivered once, at most 16 at a time to one endpoint, and none is left', async () => {
  const [a, b] = [randomUUID(), randomUUID()]
  await admit(a, 300)
  await admit(b, 300)
  const seen: bigint[] = []
  const now = new Map<string, number>([
    [a, 0],
    [b, 0],
  ])
  let most = 0
  run(async ({ endpointId, id }) => {
    now.set(endpointId, (now.get(endpointId) ?? 0) + 1)
    most = Math.max(most, now.get(endpointId) ?? 0)
    await sleep(2)
    now.set(endpointId, (now.get(endpointId) ?? 0) - 1)
    seen.push(id)
    return DONE
  })
  await until(async () =>
    expect([await waiting(a), await waiting(b)]).toEqual([
      [0, 0],
      [0, 0],
    ]),
  )
  expect([seen.length, new Set(seen).size, most]).toEqual([600, 600, 16])
})

it('two processes share the endpoints, and nothing is delivered twice', async () => {
  const endpoints = Array.from({ length: 40 }, () => randomUUID())
  for (const endpointId of endpoints) await admit(endpointId, 20)
  const seen: bigint[] = []
  const work = async ({ id }: Delivery) => {
    await sleep(1)
    seen.push(id)
    return DONE
  }
  run(work)
  run(work)
  await until(() => expect(seen.length).toBeGreaterThanOrEqual(800))
  expect([seen.length, new Set(seen).size]).toEqual([800, 800])
})

it('what another process admits to a queue that this one has leased is delivered without waiting for a poll', async () => {
  const endpointId = randomUUID()
  await admit(endpointId, 1)
  const never = { pollMs: 3_600_000, leaseMs: 3_600_000 }
  let delivered = 0
  const listens = `select 1 from pg_stat_activity where datname = current_database() and query = 'listen "tidings_due"'`
  // The one of the test before may be about to end.
  await until(async () => expect((await db.pool.query(listens)).rowCount).toBe(0))
  run(async () => {
    delivered++
    return DONE
  }, never)
  await until(() => expect(delivered).toBe(1))
  await until(async () => expect((await db.pool.query(listens)).rowCount).toBe(1))
  const other = patientPool({ url: db.url, max: 2, name: 'other' })
  const elsewhere = runQueues({ pool: other, callMs: 1_000, work: async () => DONE, ...never })
  for (const count of [2, 3, 4]) {
    await admit(endpointId, 1)
    elsewhere.offer([newDelivery(endpointId)]).admitted({ ids: [0n], dropped: 0 })
    await until(() => expect(delivered).toBe(count))
  }
  await elsewhere.stop(100)
  await other.end()
})

it('what fails comes back after its wait, counted, and does not delay the others', async () => {
  const endpointId = randomUUID()
  await admit(endpointId, 40)
  const tries = new Map<bigint, number[]>()
  run(async ({ id, attempt }) => {
    const before = tries.get(id) ?? []
    tries.set(id, [...before, attempt])
    return before.length < 3 ? { again: { inMs: 5, counts: true }, attempt: null, ms: 1 } : DONE
  })
  await until(async () => expect(await waiting(endpointId)).toEqual([0, 0]))
  expect([...tries.values()]).toEqual(Array.from({ length: 40 }, () => [0, 1, 2, 3]))
})

it('an endpoint whose name no server answers for rests, uses up no try, and goes on after its rest', async () => {
  const [silent, honest] = [randomUUID(), randomUUID()]
  await admit(silent, 200)
  let isSilent = true
  const tries: number[] = []
  const seen: bigint[] = []
  run(async ({ endpointId, id, attempt }) => {
    if (endpointId === silent) tries.push(attempt)
    if (endpointId === silent && isSilent) return { again: { inMs: 0, counts: false }, attempt: null, ms: 5_000, restMs: 3_600_000 }
    seen.push(id)
    return DONE
  })
  await until(() => expect(tries.length).toBeGreaterThan(0))
  await admit(honest, 200)
  await until(async () => expect([seen.length, await waiting(honest)]).toEqual([200, [0, 0]]))
  await admit(silent, 1)
  await admit(honest, 200)
  await until(async () => expect([seen.length, await waiting(honest)]).toEqual([400, [0, 0]]))
  expect(await waiting(silent)).toEqual([201, 201])
  expect(tries.length).toBeLessThanOrEqual(16)

  isSilent = false
  await db.pool.query('update webhooks.queue set lease_until = clock_timestamp() where endpoint_id = $1', [silent])
  await until(async () => expect(await waiting(silent)).toEqual([0, 0]))
  expect([seen.length, new Set(tries)]).toEqual([601, new Set([0])])
})

it('a failure of ours is tried again and is not counted', async () => {
  const endpointId = randomUUID()
  await admit(endpointId, 1)
  const attempts: number[] = []
  const faults: unknown[] = []
  run(
    async ({ attempt }) => {
      attempts.push(attempt)
      if (attempts.length === 1) throw new Error('the log is away')
      return DONE
    },
    { onFault: (error) => faults.push(error) },
  )
  await until(async () => expect(await waiting(endpointId)).toEqual([0, 0]))
  expect([attempts, faults.length]).toEqual([[0, 0], 1])
})

it('what Postgres forgot in a crash is delivered again, though later ones of its queue went out before', async () => {
  const endpointId = randomUUID()
  await admit(endpointId, 3)
  const seen: bigint[] = []
  const faults: unknown[] = []
  run(
    async ({ id }) => {
      seen.push(id)
      return DONE
    },
    { onFault: (error) => faults.push(error), leaseMs: 3_600_000 },
  )
  await until(() => expect(seen).toHaveLength(3))
  await until(async () => expect(await waiting(endpointId)).toEqual([0, 0]))
  // This is the state after a crash: a row is there again whose end did not reach the disk, and a query failed.
  await db.pool.query(
    `insert into webhooks.delivery (endpoint_id, id, workspace_id, position_commit, position_prepare, event, source)
     overriding system value values ($1, $2, $3, 1, 0, 'contact.created', 'contact-x@1')`,
    [endpointId, seen[0], WORKSPACE],
  )
  await db.pool.query('update webhooks.queue set waiting = 1 where endpoint_id = $1', [endpointId])
  await db.pool.query('alter function webhooks.take_deliveries rename to taken_away')
  await until(() => expect(faults.length).toBeGreaterThan(0))
  await db.pool.query('alter function webhooks.taken_away rename to take_deliveries')
  await until(async () => expect(await waiting(endpointId)).toEqual([0, 0]))
  expect(seen.slice(3)).toEqual([seen[0]])
})

it('stops without waiting for what it would have tried again', async () => {
  const faults = await stopWhileAway((away) => runQueues({ ...away, callMs: 1_000, work: async () => DONE }))
  // Letting go of the queues fails as well; nothing else is tried.
  expect(faults).toHaveLength(2)
})

it('what a process had leased when it died is delivered by another once its lease is over', async () => {
  const endpointId = randomUUID()
  await admit(endpointId, 5)
  await db.pool.query(`update webhooks.queue set owner = $1, lease_until = clock_timestamp() + interval '300 milliseconds'`, [randomUUID()])
  const seen: bigint[] = []
  run(async ({ id }) => {
    seen.push(id)
    return DONE
  })
  await until(async () => expect(await waiting(endpointId)).toEqual([0, 0]))
  expect(new Set(seen).size).toBe(5)
})

it('what was delivered while the log is away for longer than a lease is not delivered by another process', async () => {
  const [delivered, blocked] = [randomUUID(), randomUUID()]
  await admit(delivered, 1)
  const [log, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const seen: string[] = []
  const stuck = run(
    async ({ endpointId }) => {
      seen.push(endpointId)
      await answer.promise
      return DONE
    },
    { leaseMs: 8_000, prepare: async (taken) => (taken.some(({ endpointId }) => endpointId === blocked) ? await log.promise : undefined) },
  )
  await until(() => expect(seen).toEqual([delivered]))
  await admit(blocked, 1)
  stuck.wake()
  await until(async () =>
    expect((await db.pool.query('select 1 from webhooks.queue where endpoint_id = $1 and owner is not null', [blocked])).rowCount).toBe(1),
  )
  answer.resolve()
  const { rows } = await db.pool.query<{ ends: Date }>('select lease_until as ends from webhooks.queue where endpoint_id = $1', [delivered])
  run(async ({ endpointId }) => {
    seen.push(endpointId)
    return DONE
  })
  await until(async () =>
    expect((await db.pool.query('select 1 where clock_timestamp() > $1::timestamptz + interval $$1 s$$', [rows[0]?.ends])).rowCount).toBe(
      1,
    ),
  )
  expect(seen.filter((endpointId) => endpointId === delivered)).toHaveLength(1)
  log.resolve()
  await until(async () => expect(await waiting(delivered)).toEqual([0, 0]))
  expect(seen.filter((endpointId) => endpointId === delivered)).toHaveLength(1)
})

it('receivers that never answer keep no slot from the others', async () => {
  const stuck = Array.from({ length: 20 }, () => randomUUID())
  for (const endpointId of stuck) await admit(endpointId, 64)
  const quick = randomUUID()
  const queues = run(
    async ({ endpointId }, signal) => {
      if (endpointId === quick) return DONE
      await Promise.race([sleep(20, null), new Promise((resolve) => signal.addEventListener('abort', resolve))])
      return { again: { inMs: 0, counts: false }, attempt: null, ms: 10_000 }
    },
    { slots: 128 },
  )
  await until(() => expect(queues.load().running).toBeGreaterThanOrEqual(40))
  await admit(quick, 200)
  queues.wake()
  await until(async () => expect(await waiting(quick)).toEqual([0, 0]))
})

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })

it('receivers that have not answered yet, of however many workspaces, leave slots to one that is known to be quick', async () => {
  const quick = randomUUID()
  const queues = run(
    async ({ endpointId }, signal) => {
      if (endpointId !== quick) await aborted(signal)
      return endpointId === quick ? DONE : { again: { inMs: 0, counts: false }, attempt: null, ms: 1_000 }
    },
    { slots: 64 },
  )
  await admit(quick, 1)
  queues.wake()
  await until(async () => expect(await waiting(quick)).toEqual([0, 0]))
  for (let n = 0; n < 64; n++) await admit(randomUUID(), 4)
  queues.wake()
  // No more of them begin: one in twenty of the slots is not for them.
  await until(() => expect(queues.load().running).toBe(61))
  await admit(quick, 200)
  queues.wake()
  await until(async () => expect(await waiting(quick)).toEqual([0, 0]))
  await until(() => expect(queues.load().running).toBe(61))
})

it('more receivers that never answer than a process may lease queues keep none of the others from being claimed', async () => {
  const silent = new Set<string>(Array.from({ length: 24 }, () => randomUUID()))
  for (const endpointId of silent) await admit(endpointId, 64)
  const queues = run(
    async ({ endpointId }, signal) => {
      if (!silent.has(endpointId)) return DONE
      await Promise.race([sleep(20, null), aborted(signal)])
      return { again: { inMs: 0, counts: false }, attempt: null, ms: 10_000 }
    },
    { slots: 8, maxQueues: 16 },
  )
  await until(() => expect(queues.load().running).toBeGreaterThanOrEqual(6))
  const others = Array.from({ length: 4 }, () => randomUUID())
  for (const endpointId of others) await admit(endpointId, 1)
  queues.wake()
  for (const endpointId of others) await until(async () => expect(await waiting(endpointId)).toEqual([0, 0]))
})

it('more than the backlog is dropped, and counted', async () => {
  const endpointId = randomUUID()
  expect(await admit(endpointId, 30, 50)).toBe(0)
  expect(await admit(endpointId, 30, 50)).toBe(10)
  expect(await admit(endpointId, 30, 50)).toBe(30)
  expect(await waiting(endpointId)).toEqual([50, 50])
})

it('a batch that comes again adds nothing', async () => {
  const endpointId = randomUUID()
  const from = position
  await admit(endpointId, 10)
  position = from
  await admit(endpointId, 10)
  expect(await waiting(endpointId)).toEqual([10, 10])
})

it('what waits for an endpoint that ended is dropped up to there', async () => {
  const endpointId = randomUUID()
  await admit(endpointId, 10)
  const upTo = { commit: position - 3n, prepare: 0n }
  await transaction(db.pool, (tx) => dropWaiting(tx, { endpointId: asEndpointId(endpointId), upTo, all: false }))
  expect(await waiting(endpointId)).toEqual([3, 3])
  await transaction(db.pool, (tx) =>
    dropWaiting(tx, { endpointId: asEndpointId(endpointId), upTo: { commit: position, prepare: 0n }, all: true }),
  )
  expect(await waiting(endpointId)).toEqual([])
})

it('a long queue costs no memory: this process claims a few of it ahead', async () => {
  const endpoints = Array.from({ length: 10 }, () => randomUUID())
  await db.pool.query(`insert into webhooks.queue (endpoint_id, workspace_id, waiting) select e, $2, 10000 from unnest($1::uuid[]) e`, [
    endpoints,
    WORKSPACE,
  ])
  await db.pool.query(
    `insert into webhooks.delivery (endpoint_id, workspace_id, position_commit, position_prepare, event, source)
     select e, $2, n, 0, 'contact.created', 'contact-x@' || n from unnest($1::uuid[]) e, generate_series(1, 10000) n`,
    [endpoints, WORKSPACE],
  )
  let claimed = 0
  let delivered = 0
  const queues = run(async () => {
    claimed = Math.max(claimed, queues.load().claimed)
    delivered++
    await sleep(1)
    return DONE
  })
  await until(() => expect(delivered).toBeGreaterThan(3_000))
  expect(claimed).toBeLessThanOrEqual(10 * (128 + 16 + 128))
})

it('what was claimed, or waits for a retry, by a clock that was a day ahead is delivered soon', async () => {
  const [claimed, retried] = [randomUUID(), randomUUID()]
  for (const endpointId of [claimed, retried]) await admit(endpointId, 1)
  const ahead = `clock_timestamp() + interval '1 day'`
  await db.pool.query(`update webhooks.queue set owner = $1, lease_until = ${ahead} where endpoint_id = $2`, [randomUUID(), claimed])
  await db.pool.query(`update webhooks.delivery set due_at = ${ahead}, attempt = 1 where endpoint_id = $1`, [retried])
  await db.pool.query(`update webhooks.queue set lease_until = ${ahead} where endpoint_id = $1`, [retried])
  expect([await shortenQueueLeases(db.pool, 1), await shortenQueueLeases(db.pool, 10), await shortenQueueLeases(db.pool, 10)]).toEqual([
    1, 1, 0,
  ])
  // A minute later.
  await db.pool.query(`update webhooks.queue set lease_until = lease_until - interval '1 minute'`)
  await db.pool.query(`update webhooks.delivery set due_at = due_at - interval '1 minute' where due_at is not null`)
  const seen: string[] = []
  run(async ({ endpointId }) => {
    seen.push(endpointId)
    return DONE
  })
  await until(() => expect(seen.sort()).toEqual([claimed, retried].sort()))
})
