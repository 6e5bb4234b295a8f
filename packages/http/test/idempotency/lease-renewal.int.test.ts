import { randomUUID } from 'node:crypto'
import { asWorkspaceId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createLeaseRenewal, type RenewLeases } from '../../src/idempotency/lease-renewal.ts'
import { claim, type LeasedKey, release, renew } from '../../src/idempotency/table.ts'

let db: TestDatabase
let now = 0
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate ops.idempotency')
  now = 0
})

const scopeOf = (key: string) => ({ workspaceId: asWorkspaceId(randomUUID()), method: 'POST', path: '/otp/send', key })
const body = Buffer.from('body')
const taken = async (scope = scopeOf('k')): Promise<LeasedKey> => {
  const claimed = await claim(db.pool, scope, { bodyHash: body, commandId: randomUUID() })
  if (claimed.kind !== 'mine') throw new Error(`the key is ${claimed.kind}`)
  return claimed.leased
}
const again = async ({ scope }: LeasedKey, bodyHash = body) => (await claim(db.pool, scope, { bodyHash, commandId: randomUUID() })).kind
/** Makes so much time go by in the database. */
const passes = (seconds: number) =>
  db.pool.query(`update ops.idempotency set lease_until = lease_until - make_interval(secs => $1) where lease_until > '-infinity'`, [
    seconds,
  ])
const leaseOf = async ({ scope }: LeasedKey) =>
  (
    await db.pool.query<{ lease: string }>('select lease_until::text as lease from ops.idempotency where workspace_id = $1', [
      scope.workspaceId,
    ])
  ).rows[0]
/** The number of rounds whose answer this process has: Postgres shows what it has renewed before. */
let heard = 0
const renewal = (leases: RenewLeases = (leased) => renew(db.pool, leased)) => {
  const counted: RenewLeases = async (leased) => {
    const renewed = await leases(leased)
    heard++
    return renewed
  }
  return createLeaseRenewal(counted, { now: () => now, everyMs: 5 })
}
/** Moves the clock, and returns when a round after that has renewed. */
const renewedAfter = async (ms: number): Promise<void> => {
  const before = heard
  now += ms
  await expect.poll(() => heard).toBeGreaterThan(before)
}

it('a request that runs keeps its key, however long its provider takes', async () => {
  const leased = await taken()
  const lease = renewal().begin(leased, now)
  for (let second = 0; second < 60; second += 5) {
    const before = await leaseOf(leased)
    await renewedAfter(5_000)
    expect(await leaseOf(leased)).not.toEqual(before)
    expect(await again(leased)).toBe('running')
    expect(lease.isLeased()).toBe(true)
  }
  await release(db.pool, await lease.end())
  expect(await again(leased, Buffer.from('another'))).toBe('mine')
})

it('many requests are renewed together, each by itself', async () => {
  const running = renewal()
  const all = await Promise.all(Array.from({ length: 30 }, (_, n) => taken(scopeOf(`k${n}`))))
  const leases = all.map((leased) => running.begin(leased, now))
  await running.begin(all[0]!, now).end()
  await leases[0]!.end()
  now += 5_000
  for (const leased of all.slice(1)) await expect.poll(async () => (await leaseOf(leased))?.lease).not.toBe(leased.lease)
  expect((await leaseOf(all[0]!))?.lease).toBe(all[0]!.lease)
  for (const lease of leases) await lease.end()
})

it('a process that stood still does not renew what another took over, and knows it before it asks', async () => {
  const leased = await taken()
  const lease = renewal().begin(leased, now)
  await passes(11)
  expect(await again(leased)).toBe('mine')
  now += 10_000
  expect(lease.isLeased()).toBe(false)
  const theirs = await leaseOf(leased)
  await expect.poll(() => lease.isLeased()).toBe(false)
  await release(db.pool, await lease.end())
  expect(await leaseOf(leased)).toEqual(theirs)
  expect(await again(leased)).toBe('running')
})

it('while the database is away a lease ends, and one that comes back in time does not', async () => {
  let isAway = true
  const flaky: RenewLeases = async (leased) => (isAway ? Promise.reject(new Error('away')) : await renew(db.pool, leased))
  const leased = await taken()
  const lease = renewal(flaky).begin(leased, now)
  now += 9_000
  expect(lease.isLeased()).toBe(true)
  isAway = false
  await renewedAfter(0)
  expect((await leaseOf(leased))?.lease).not.toBe(leased.lease)
  isAway = true
  now += 9_000
  expect(lease.isLeased()).toBe(true)
  now += 1_000
  expect(lease.isLeased()).toBe(false)
  await lease.end()
})

it('a request that never ends gives its key up after five minutes', async () => {
  const leased = await taken()
  const lease = renewal().begin(leased, now)
  now += 5 * 60_000
  await passes(11)
  expect(await again(leased)).toBe('mine')
  expect(lease.isLeased()).toBe(false)
  await lease.end()
})
