import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { Fenced, leaseTable } from '../../src/leases/lease-table.ts'

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

test('a lease that a clock ahead has written ends with its owner, not when that time comes', async () => {
  const first = (await acquire('one'))!
  await db.pool.query(`update ops.test_lease set until = clock_timestamp() + interval '1 day'`)
  await leases.renew(db.pool, first)
  expect(await acquire('two')).toBeNull()
  await db.pool.query(`update ops.test_lease set until = clock_timestamp() + interval '1 day'`)
  expect(await acquire('two')).toMatchObject({ owner: 'two', epoch: 2n })
  await expect(leases.renew(db.pool, first)).rejects.toThrow(Fenced)
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

test('leases of one moment are renewed together, and one that is lost costs the others nothing', async () => {
  const names = ['a', 'b', 'c', 'd']
  const held = await Promise.all(names.map((name) => leases.acquire(db.pool, name, 'one')))
  await db.pool.query(`update ops.test_lease set owner = 'two', epoch = epoch + 1 where thing = 'c'`)
  await expire()
  const query = vi.spyOn(db.pool, 'query')
  const renewed = await Promise.allSettled(held.map((lease) => leases.renew(db.pool, lease!)))
  expect(renewed.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  // All in one, and the lost one once more alone.
  expect(query).toHaveBeenCalledTimes(2)
  query.mockRestore()
  const { rows } = await db.pool.query<{ thing: string }>('select thing from ops.test_lease where until > clock_timestamp() order by thing')
  expect(rows.map(({ thing }) => thing)).toEqual(['a', 'b', 'd'])
})

test('a lease whose row is locked keeps no other from being renewed, and is renewed behind the lock', async () => {
  const one = (await acquire('one'))!
  const other = (await leases.acquire(db.pool, 'b', 'one'))!
  await expire()
  const locking = await db.pool.connect()
  await locking.query(`begin; update ops.test_lease set owner = owner where thing = 'a'`)
  const waiting = leases.renew(db.pool, one)
  await leases.renew(db.pool, other)
  await locking.query('commit')
  locking.release()
  await waiting
  expect(await db.pool.query('select from ops.test_lease where until > clock_timestamp()')).toMatchObject({ rowCount: 2 })
})
