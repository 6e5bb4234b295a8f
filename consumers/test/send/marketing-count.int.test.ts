import { asContactId, asMessageId, asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type CountedMessage, countWithinCap, isWithinCap } from '../../src/send/marketing-count.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate ops.marketing_message')
})

const uuid = () => crypto.randomUUID()
const aMessage = (of: Partial<CountedMessage> = {}): CountedMessage => ({
  workspaceId: asWorkspaceId(uuid()),
  contactId: asContactId(uuid()),
  channel: 'email',
  messageId: asMessageId(uuid()),
  ...of,
})
const ONE_A_DAY = { messages: 1, days: 1 }
const rows = async (): Promise<number> => (await db.pool.query('select from ops.marketing_message')).rowCount ?? 0
const passedDaysAgo = (days: number) =>
  db.pool.query(`update ops.marketing_message set passed_at = clock_timestamp() - $1::int * interval '1 day'`, [days])

test('what is judged at once takes one statement, each message by the cap of its workspace', async () => {
  const earlier = aMessage()
  await countWithinCap(db.pool, earlier, null)
  const { workspaceId, contactId } = earlier
  const query = vi.spyOn(db.pool, 'query')
  const judged = await Promise.all([
    countWithinCap(db.pool, aMessage({ workspaceId, contactId }), ONE_A_DAY),
    countWithinCap(db.pool, aMessage({ workspaceId }), ONE_A_DAY),
    countWithinCap(db.pool, aMessage({ contactId }), ONE_A_DAY),
    countWithinCap(db.pool, aMessage({ workspaceId, contactId, channel: 'sms' }), ONE_A_DAY),
    countWithinCap(db.pool, aMessage(), null),
    isWithinCap(db.pool, aMessage({ workspaceId, contactId }), { messages: 2, days: 1 }),
    isWithinCap(db.pool, aMessage({ workspaceId, contactId }), ONE_A_DAY),
  ])
  expect(query).toHaveBeenCalledTimes(1)
  query.mockRestore()
  expect(judged).toEqual([false, true, true, true, true, true, false])
  // The earlier one and those that passed; a question counts nothing.
  expect(await rows()).toBe(5)
})

test('a message is counted once, however often it is tried, and does not stand in its own way', async () => {
  const message = aMessage()
  const tries = await Promise.all([1, 2, 3].map(() => countWithinCap(db.pool, message, ONE_A_DAY)))
  expect([...tries, await countWithinCap(db.pool, message, ONE_A_DAY)]).toEqual([true, true, true, true])
  expect(await rows()).toBe(1)
})

test('what is older than the window of the cap does not count', async () => {
  const { workspaceId, contactId } = aMessage()
  await countWithinCap(db.pool, aMessage({ workspaceId, contactId }), null)
  const fits = (days: number) => isWithinCap(db.pool, aMessage({ workspaceId, contactId }), { messages: 1, days })
  await passedDaysAgo(3)
  expect([await fits(2), await fits(4)]).toEqual([true, false])
})

test('no cap asks nothing, and more messages than one statement takes are all judged', async () => {
  const query = vi.spyOn(db.pool, 'query')
  expect(await isWithinCap(db.pool, aMessage(), null)).toBe(true)
  expect(query).not.toHaveBeenCalled()
  const many = await Promise.all(Array.from({ length: 600 }, () => countWithinCap(db.pool, aMessage(), ONE_A_DAY)))
  expect(query).toHaveBeenCalledTimes(3)
  query.mockRestore()
  expect(many.every(Boolean)).toBe(true)
  expect(await rows()).toBe(600)
})

test('a statement that fails fails the messages that it was about, and none after it', async () => {
  const query = vi.spyOn(db.pool, 'query').mockRejectedValueOnce(new Error('away') as never)
  const failed = await Promise.allSettled([1, 2].map(() => countWithinCap(db.pool, aMessage(), null)))
  query.mockRestore()
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await countWithinCap(db.pool, aMessage(), null)).toBe(true)
})

test('what others got does not matter to a look', async () => {
  const cap = { messages: 3, days: 30 }
  await Promise.all(Array.from({ length: 1_000 }, () => countWithinCap(db.pool, aMessage(), cap)))
  const read = await transaction(db.pool, async (tx) => {
    const pool = Object.create(db.pool, { query: { value: (...args: readonly unknown[]) => Reflect.apply(tx.query, tx, args) } })
    await Promise.all(Array.from({ length: 100 }, () => countWithinCap(pool, aMessage(), cap)))
    const { rows: found } = await tx.query<{ tuples: number }>(
      `select idx_tup_fetch::int as tuples from pg_stat_xact_user_tables where schemaname = 'ops' and relname = 'marketing_message'`,
    )
    return found[0]?.tuples
  })
  // Once through what was counted for each look would be 100 000.
  expect(read).toBeLessThan(10_000)
})
