import { asWorkspaceId } from '@tidings/domain'
import { runLanes } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callProvider } from '../../src/send/call-provider.ts'

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.drop())

const priority = 'transactional' as const
const KIND = 'calling'
const dueIn = async () =>
  (await db.pool.query<{ due: number }>('select extract(epoch from due_at)::float8 * 1000 as due from inbox.job')).rows[0]?.due ?? 0

test('a call that takes longer than the lease keeps it, and is in doubt once', async () => {
  const answered = Promise.withResolvers<'yes'>()
  const doubts: string[] = []
  const given: string[] = []
  const lanes = runLanes({
    pool: db.pool,
    kind: KIND,
    leaseMs: 6_000,
    work: async ({ payload }, lease, signal) => {
      given.push(payload)
      const inDoubt = async () => void doubts.push(payload)
      await callProvider({ lease, signal, priority, callMs: 300, inDoubt }, async ({ handedOver }) => {
        handedOver?.()
        return await answered.promise
      })
      return 'done'
    },
  })
  const job = { workspaceId: asWorkspaceId(crypto.randomUUID()), lane: 'one', seq: 1n, payload: 'job' }
  const begin = await transaction(db.pool, (tx) => lanes.admit(tx, [job]))
  begin()
  await until(async () => expect(await dueIn()).toBeGreaterThan(0))
  const first = await dueIn()
  // Two leases later it is still in the same hands.
  await until(async () => expect((await dueIn()) - first).toBeGreaterThan(12_000), 100)
  expect([given, doubts]).toEqual([['job'], ['job']])
  answered.resolve('yes')
  await until(async () => expect(await dueIn()).toBe(0))
  await lanes.stop()
})

test('a mail that was not handed over is never in doubt, not even when we are stopped', async () => {
  const stopping = new AbortController()
  let doubts = 0
  const calling = { lease: { ensure: () => undefined }, signal: stopping.signal, priority, callMs: 5, inDoubt: async () => void doubts++ }
  let looks = 0
  const answer = await callProvider(calling, async ({ fence }) => {
    stopping.abort()
    await until(() => expect(++looks).toBeGreaterThan(3), 10)
    await fence()
    return 'answer'
  })
  expect([answer, doubts]).toEqual(['answer', 0])
})

test('a mail whose answer is waited for when we are stopped is in doubt at once', async () => {
  const stopping = new AbortController()
  let doubts = 0
  const calling = {
    lease: { ensure: () => undefined },
    signal: stopping.signal,
    priority,
    callMs: 60_000,
    inDoubt: async () => void doubts++,
  }
  await callProvider(calling, async ({ handedOver }) => {
    handedOver?.()
    stopping.abort()
  })
  expect(doubts).toBe(1)
})

test('a mail that the provider did not take, and that waits there to be sent again, is in doubt no more', async () => {
  const stopping = new AbortController()
  let doubts = 0
  const calling = { lease: { ensure: () => undefined }, signal: stopping.signal, priority, callMs: 5, inDoubt: async () => void doubts++ }
  let looks = 0
  await callProvider(calling, async ({ handedOver, returned }) => {
    handedOver?.()
    returned?.()
    await until(() => expect(++looks).toBeGreaterThan(3), 10)
    stopping.abort()
  })
  expect(doubts).toBe(0)
})
