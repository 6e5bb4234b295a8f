import type { Recorded } from '@tidings/codec'
import type { Position } from '@tidings/event-store'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type DirectConsumerOptions, runDirectConsumer } from './direct-consumer.ts'
import type { Consumer, RunningConsumer } from './port.ts'
import { logOfDeliveries, WORKSPACE } from './testing/log-of-deliveries.ts'

const GROUP = 'test'
type Delivered = Recorded<{ type: 'MessageDelivered'; data: { messageId: string } }>

let db: TestDatabase
let made: ReturnType<typeof logOfDeliveries>
let running: RunningConsumer[] = []
beforeAll(async () => {
  db = await testDatabase()
  await db.pool.query('create table effect (id bigint generated always as identity, message text not null)')
})
afterAll(() => db.drop())
beforeEach(async () => {
  made = logOfDeliveries()
  await db.pool.query('truncate effect, ops.consumer_checkpoint, ops.dead_letter')
})
afterEach(async () => {
  await Promise.all(running.map((consumer) => consumer.stop()))
  running = []
  await made.log.close()
})

/** Writes each message's id to a table, in the transaction it is given. */
const noting = (changes: Partial<Consumer> = {}): Consumer => ({
  group: GROUP,
  types: ['MessageDelivered'],
  handle: async (events, tx) => {
    for (const event of events as readonly Delivered[]) await tx.query('insert into effect (message) values ($1)', [event.data.messageId])
    return undefined
  },
  ...changes,
})
const run = (consumer: Consumer, options: Partial<DirectConsumerOptions> = {}): RunningConsumer => {
  const started = runDirectConsumer({ consumer, log: made.log, pool: db.pool, startAt: 'start', ...options })
  running.push(started)
  return started
}
const effects = async () =>
  (await db.pool.query<{ message: string }>('select message from effect order by id')).rows.map(({ message }) => message)
const checkpoint = async () =>
  (await db.pool.query<{ at: bigint }>('select position_commit as at from ops.consumer_checkpoint')).rows[0]?.at
const letters = async () => (await db.pool.query('select reference, error_class, attempts, state, workspace_id from ops.dead_letter')).rows
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 20 })
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => String(from + n))

describe('a consumer of the log', () => {
  test('handles its events once and in order, across stops and starts', async () => {
    for (let n = 1; n <= 5; n++) await made.deliver(n)
    const first = run(noting())
    await until(async () => expect(await effects()).toEqual(numbers(1, 5)))
    await first.stop()
    for (let n = 6; n <= 9; n++) await made.deliver(n)
    run(noting())
    await until(async () => expect(await effects()).toEqual(numbers(1, 9)))
  })

  test('gets only its types, and its checkpoint passes the others', async () => {
    await made.deliver(1)
    for (let n = 2; n <= 20; n++) await made.deliver(n, 'MessageComplained')
    const { commit } = await made.log.head()
    run(noting())
    await until(async () => expect(await checkpoint()).toBe(commit))
    expect(await effects()).toEqual(['1'])
  })

  test('a new group begins at the head, unless it is told otherwise', async () => {
    await made.deliver(1)
    const consumer = run(noting(), { startAt: 'head' })
    await until(async () => expect(consumer.progress().caughtUp).toBe(true))
    await made.deliver(2)
    await until(async () => expect(await effects()).toEqual(['2']))
  })

  test('says where the log ended when a session opens, and wakes after the commit', async () => {
    await made.deliver(1)
    const heads: Position[] = []
    const woken: string[][] = []
    const wake = () => {
      void effects().then((seen) => woken.push(seen))
    }
    const inner = noting()
    run(noting({ opened: (head) => heads.push(head), handle: (events, tx) => inner.handle(events, tx).then(() => wake) }))
    await until(async () => expect(woken).toEqual([['1']]))
    expect(heads).toEqual([await made.log.head()])
  })

  test('an effect and its checkpoint are one: what failed on the way is done again, once', async () => {
    let failures = 2
    const inner = noting()
    const handle: Consumer['handle'] = async (events, tx) => {
      await inner.handle(events, tx)
      if (failures-- > 0) throw Object.assign(new Error('the server goes down'), { code: '57P01' })
      return undefined
    }
    for (let n = 1; n <= 3; n++) await made.deliver(n)
    run(noting({ handle }))
    await until(async () => expect(await effects()).toEqual(numbers(1, 3)))
    expect(await letters()).toEqual([])
  })
})

describe('two processes', () => {
  test('one runs the group, the other takes over when it stops', async () => {
    const first = run(noting())
    await until(async () => expect(first.progress().position).not.toBeNull())
    const second = run(noting())
    await made.deliver(1)
    await until(async () => expect(await effects()).toEqual(['1']))
    expect(second.progress().position).toBeNull()
    await first.stop()
    await made.deliver(2)
    await until(async () => expect(await effects()).toEqual(['1', '2']))
    expect(second.progress().position).not.toBeNull()
  })

  test('who lost the lease in the middle of a batch writes nothing', async () => {
    await made.deliver(1)
    run(noting())
    await until(async () => expect(await effects()).toEqual(['1']))
    await db.pool.query(
      `update ops.consumer_checkpoint set epoch = epoch + 1, owner = gen_random_uuid(), lease_until = now() + interval '1 hour'`,
    )
    await made.deliver(2)
    await until(async () => expect(running[0]?.progress().position).toBeNull())
    expect(await effects()).toEqual(['1'])
  })

  test('when Postgres falls back, its events come again and nothing is doubled', async () => {
    await made.deliver(1)
    const { commit } = await made.log.head()
    for (let n = 2; n <= 3; n++) await made.deliver(n)
    run(noting())
    await until(async () => expect(await effects()).toEqual(numbers(1, 3)))
    // What a crash may do to transactions that did not wait for the disk: effect and checkpoint undone together.
    await db.pool.query(
      `begin; delete from effect where message::int > 1; update ops.consumer_checkpoint set position_commit = ${commit}; commit`,
    )
    await made.deliver(4)
    await until(async () => expect(await effects()).toEqual(numbers(1, 4)))
  })
})

describe('what cannot be handled', () => {
  const poisoned = (isBroken: () => boolean): Consumer => {
    const inner = noting()
    return noting({
      handle: async (events, tx) => {
        if (isBroken() && (events as readonly Delivered[]).some(({ data }) => data.messageId === '3'))
          throw new TypeError('three is too much')
        return await inner.handle(events, tx)
      },
    })
  }

  test('is set aside alone, and the others go on', async () => {
    for (let n = 1; n <= 5; n++) await made.deliver(n)
    run(poisoned(() => true))
    await until(async () => expect(await effects()).toEqual(['1', '2', '4', '5']))
    expect(await letters()).toMatchObject([{ error_class: 'TypeError', attempts: 1, state: 'open', workspace_id: WORKSPACE }])
  })

  test('is taken again when somebody asks, and counted when it still fails', async () => {
    let broken = true
    for (let n = 1; n <= 5; n++) await made.deliver(n)
    run(poisoned(() => broken))
    const redrive = () => db.pool.query(`update ops.dead_letter set state = 'redriving'`)
    await until(async () => expect(await letters()).toHaveLength(1))
    await redrive()
    await until(async () => expect(await letters()).toMatchObject([{ state: 'open', attempts: 2 }]))
    broken = false
    await redrive()
    await until(async () => expect(await letters()).toMatchObject([{ state: 'redriven' }]))
    expect(await effects()).toEqual(['1', '2', '4', '5', '3'])
  })

  test('an event that cannot be decoded is set aside with its place; one of an unknown type that nobody asked for is passed', async () => {
    const event = (id: number, type: string, data: string) => ({ id: `0192b1f0-0000-7000-8000-00000000000${id}`, type, data, meta: '{}' })
    await made.deliver(1)
    await made.store.append('broken-x', 'any', [event(1, 'MessageDelivered', '{oops')])
    await made.store.append('future-x', 'any', [event(2, 'MessageTeleported', '{}')])
    await made.deliver(2)
    run(noting())
    await until(async () => expect(await effects()).toEqual(['1', '2']))
    expect(await letters()).toMatchObject([{ error_class: 'CorruptEvent', state: 'open' }])
  })
})
