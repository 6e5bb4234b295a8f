import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Fenced, leaseTable } from './lease-table.ts'

const TABLE = { table: 'ops.test_lease', name: 'thing', expiresAt: 'until', leaseMs: 60_000 }
const leases = leaseTable({ ...TABLE, creates: true })

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await db.pool.query(
    'create table ops.test_lease (thing text primary key, owner text, epoch bigint not null default 0, until timestamptz)',
  )
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate ops.test_lease')
})

const acquire = (owner: string) => leases.acquire(db.pool, 'a', owner)
const expire = () => db.pool.query(`update ops.test_lease set until = clock_timestamp() - interval '1 ms'`)

test('one owner at a time holds a lease, and each acquisition raises the epoch', async () => {
  expect(await acquire('one')).toEqual({ name: 'a', owner: 'one', epoch: 1n })
  expect(await acquire('two')).toBeNull()
  expect(await acquire('one')).toMatchObject({ epoch: 2n })
})

test('only a table that makes its rows leases one that does not exist', async () => {
  const existing = leaseTable(TABLE)
  expect(await existing.acquire(db.pool, 'a', 'one')).toBeNull()
  await db.pool.query(`insert into ops.test_lease (thing) values ('a')`)
  expect(await existing.acquire(db.pool, 'a', 'one')).toMatchObject({ epoch: 1n })
})

test('many who acquire at once leave one owner', async () => {
  const owners = Array.from({ length: 10 }, (_, n) => `owner ${n}`)
  const acquired = await Promise.all(owners.map(acquire))
  expect(acquired.filter((lease) => lease !== null)).toHaveLength(1)
})

test('once another process has acquired an expired lease, its old owner can neither renew nor release it', async () => {
  const first = (await acquire('one'))!
  await expire()
  const second = (await acquire('two'))!
  expect(second.epoch).toBe(2n)
  await expect(leases.renew(db.pool, first)).rejects.toBeInstanceOf(Fenced)
  await leases.release(db.pool, first)
  expect(await acquire('three')).toBeNull()
  await leases.renew(db.pool, second)
})

test('an expired lease that no other process has acquired is renewed', async () => {
  const lease = (await acquire('one'))!
  await expire()
  await leases.renew(db.pool, lease)
  expect(await acquire('two')).toBeNull()
})

test('a released lease can be acquired at once', async () => {
  await leases.release(db.pool, (await acquire('one'))!)
  expect(await acquire('two')).toMatchObject({ epoch: 2n })
})

test('a renewal that was under way when the lease was released does not bring it back', async () => {
  const lease = (await acquire('one'))!
  await leases.release(db.pool, lease)
  await expect(leases.renew(db.pool, lease)).rejects.toBeInstanceOf(Fenced)
  expect(await acquire('two')).toMatchObject({ epoch: 2n })
})

test('the leases of dead processes end together, and are counted once', async () => {
  await acquire('dead')
  await leases.acquire(db.pool, 'b', 'dead')
  expect([await leases.releaseAll(db.pool), await leases.releaseAll(db.pool)]).toEqual([2, 0])
  expect(await acquire('heir')).toMatchObject({ epoch: 2n })
})
