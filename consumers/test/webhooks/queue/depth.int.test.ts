import { randomUUID } from 'node:crypto'
import { asEndpointId, asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { releaseQueues, setWorkspaceStatus, takeDeliveries } from '../../../src/webhooks/queue/statements.ts'
import { webhookDepth } from '../../../src/webhooks/start-webhooks.ts'

const WORKSPACE = asWorkspaceId('0192f0c0-0000-7000-8000-000000000001')
const QUEUES = 3_000

let db: TestDatabase
beforeEach(async () => {
  await db?.drop()
  db = await testDatabase()
})
afterAll(() => db.drop())

/** Queues with one delivery each; `due`: null for first tries, else the seconds until their retry. */
const insert = async (count: number, due: number | null = null): Promise<void> => {
  await db.pool.query(
    `with queues as (
       insert into webhooks.queue (endpoint_id, workspace_id, waiting) select gen_random_uuid(), $1, 1 from generate_series(1, $2::int)
       returning endpoint_id)
     insert into webhooks.delivery (endpoint_id, workspace_id, position_commit, position_prepare, event, source, due_at)
     select endpoint_id, $1, 1, 0, 'contact.created', 'contact-x@1', clock_timestamp() + $3::int * interval '1 second' from queues`,
    [WORKSPACE, count, due],
  )
}
const take = (owner: string, more = 32) => takeDeliveries(db.pool, { owner, leaseMs: 600_000, more, room: 16, queues: [], claimedIds: [] })
/** Rows of the webhook tables that a look for free queues reads. */
const rowsRead = async (): Promise<number> => {
  const client = await db.pool.connect()
  const sofar = async () => {
    const { rows } = await client.query<{ read: number }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables where schemaname = 'webhooks'`,
    )
    return rows[0]?.read ?? 0
  }
  try {
    await client.query('begin')
    const before = await sofar()
    await client.query(`select from webhooks.take_deliveries($1, 600000, 32, '{}', '{}', '{}', '{}', 16)`, [randomUUID()])
    const read = (await sofar()) - before
    await client.query('rollback')
    return read
  } finally {
    client.release()
  }
}

describe('the depth of the webhook queues', () => {
  it('is exact while few endpoints have something waiting', async () => {
    await insert(20)
    await db.pool.query(
      'update webhooks.queue set waiting = 5 where endpoint_id = (select max(endpoint_id::text)::uuid from webhooks.queue)',
    )
    await db.pool.query('insert into webhooks.queue (endpoint_id, workspace_id) values (gen_random_uuid(), $1)', [WORKSPACE])
    expect(await webhookDepth(db.pool)).toEqual({ all: 24, longest: 5 })
  })
  it('is an estimate where many have', async () => {
    await insert(QUEUES)
    await db.pool.query('analyze webhooks.delivery')
    expect(await webhookDepth(db.pool, 100)).toEqual({ all: QUEUES, longest: 1 })
  })
  it('is nothing where nothing waits', async () => {
    expect(await webhookDepth(db.pool)).toEqual({ all: 0, longest: 0 })
  })
})

describe('a look for free queues', () => {
  it('reads nothing of those that others have leased', async () => {
    await insert(QUEUES)
    expect(await take(randomUUID(), QUEUES)).toHaveLength(QUEUES)
    await db.pool.query('vacuum webhooks.queue')
    expect(await rowsRead()).toBeLessThan(100)
  })
  it('reads nothing of those that were let go of while all that waits there is due later', async () => {
    const owner = randomUUID()
    await insert(QUEUES, -1)
    const taken = await take(owner, QUEUES)
    await db.pool.query(`update webhooks.delivery set due_at = clock_timestamp() + interval '40 seconds'`)
    await releaseQueues(
      db.pool,
      owner,
      taken.map(({ endpointId }) => endpointId),
    )
    await db.pool.query('vacuum webhooks.queue')
    expect(await rowsRead()).toBeLessThan(100)
  })
  it('reads as many as it takes where all are free, whatever the statistics say', async () => {
    await insert(QUEUES)
    await db.pool.query('vacuum analyze webhooks.queue, webhooks.delivery, webhooks.suspended_workspace')
    expect(await rowsRead()).toBeLessThan(1_000)
  })
  it('finds a queue at once that something new waits in, beside what is due later', async () => {
    const owner = randomUUID()
    await insert(1, -1)
    const [first] = await take(owner)
    await db.pool.query(`update webhooks.delivery set due_at = clock_timestamp() + interval '40 seconds'`)
    const endpointId = first?.endpointId ?? asEndpointId('')
    await releaseQueues(db.pool, owner, [endpointId])
    expect(await take(owner)).toEqual([])
    await db.pool.query(
      `select webhooks.admit(array[$1]::uuid[], array[$2]::uuid[], '{7}', '{0}', '{contact.created}', '{contact-x@2}', 100, $3, array[null]::bigint[])`,
      [endpointId, WORKSPACE, owner],
    )
    expect((await take(owner)).map(({ position }) => position.commit)).toEqual([7n])
  })
  it('looks once at those that a dead process had leased, and not again before they are due', async () => {
    await insert(QUEUES, 40)
    for (let look = 0; look < QUEUES / 256 + 1; look++) expect(await take(randomUUID())).toEqual([])
    await db.pool.query('vacuum webhooks.queue')
    expect(await rowsRead()).toBeLessThan(100)
  })
  it('does the same with those of a suspended workspace, and finds them at once when it is active again', async () => {
    await insert(QUEUES)
    const becomes = (status: 'suspended' | 'active') => transaction(db.pool, (tx) => setWorkspaceStatus(tx, WORKSPACE, status))
    await becomes('suspended')
    for (let look = 0; look < QUEUES / 256 + 1; look++) expect(await take(randomUUID())).toEqual([])
    await db.pool.query('vacuum webhooks.queue')
    expect(await rowsRead()).toBeLessThan(100)
    await becomes('active')
    expect(await take(randomUUID())).toHaveLength(32)
  })
  it('finds a queue whose retry has come due', async () => {
    const owner = randomUUID()
    await insert(1, -1)
    const [first] = await take(owner)
    await db.pool.query(`update webhooks.delivery set due_at = clock_timestamp() - interval '1 second'`)
    await releaseQueues(db.pool, owner, [first?.endpointId ?? asEndpointId('')])
    expect(await take(owner)).toHaveLength(1)
  })
})
