import type { EventLog } from '@tidings/codec'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runDirectConsumer } from '../src/direct-consumer.ts'
import type { Consumer } from '../src/port.ts'
import { transportContract } from './contract/transport-contract.ts'
import { type Delivered, type Effects, effectsIn, numbers } from './testing/effects.ts'
import { type LogOfDeliveries, logOfDeliveries } from './testing/log-of-deliveries.ts'

transportContract({
  name: 'the log',
  open: async ({ pool }) => ({
    transport: runDirectConsumer,
    position: async () => {
      const { rows } = await pool.query<{ commit: bigint }>('select position_commit as commit from ops.consumer_checkpoint')
      return rows[0] === undefined ? null : { commit: rows[0].commit, prepare: 0n }
    },
    takeAway: async () => {
      await pool.query(`update ops.consumer_checkpoint set epoch = epoch + 1, owner = gen_random_uuid(), lease_until = 'infinity'`)
    },
    setBack: ({ commit }) => `update ops.consumer_checkpoint set position_commit = ${commit}`,
    close: async () => undefined,
  }),
})

describe('two processes', () => {
  let db: TestDatabase
  let effects: Effects
  let made: LogOfDeliveries
  const running: ReturnType<typeof runDirectConsumer>[] = []
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
  })
  afterAll(() => db.drop())
  beforeEach(() => {
    made = logOfDeliveries()
  })
  afterEach(async () => {
    await Promise.all(running.map((consumer) => consumer.stop()))
    await made.log.close()
  })
  const run = () => {
    const started = runDirectConsumer({ consumer: effects.noting(), log: made.log, pool: db.pool, startAt: 'start' })
    running.push(started)
    return started
  }

  test('one has the group of the log, the other stands by until it stops', async () => {
    const first = run()
    await until(() => expect(first.progress().position).not.toBeNull())
    const second = run()
    await made.deliver(1)
    await effects.become(['1'])
    expect(second.progress().position).toBeNull()
    await first.stop()
    await made.deliver(2)
    await effects.become(['1', '2'])
    expect(second.progress().position).not.toBeNull()
  })
})

describe('an effect that is one statement', () => {
  let db: TestDatabase
  let effects: Effects
  let made: LogOfDeliveries
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
    await db.pool.query(`create function note(p_message text[]) returns integer language plpgsql as $f$
      begin
        insert into effect (message, contact) select m, 'x' from unnest(p_message) m;
        if 'poison' = any (p_message) then raise 'cannot be noted'; end if;
        return cardinality(p_message);
      end $f$`)
  })
  afterAll(() => db.drop())
  beforeEach(async () => {
    await effects.clear()
    made = logOfDeliveries()
  })
  afterEach(() => made.log.close())

  const noted: unknown[] = []
  const consumer = (poison = ''): Consumer => ({
    ...effects.noting({ handle: async () => Promise.reject(new Error('has no transaction')) }),
    effect: async (events) => {
      const messages = (events as readonly Delivered[]).map(({ data }) => (data.messageId === poison ? 'poison' : data.messageId))
      return { name: 'note', call: 'note($1)', values: [messages], done: (value) => void noted.push(value) }
    },
  })
  const run = (poison?: string) => runDirectConsumer({ consumer: consumer(poison), log: made.log, pool: db.pool, startAt: 'start' })

  test('moves the checkpoint with it, and answers after the commit', async () => {
    await made.deliverAll(1, 3)
    const running = run()
    await effects.become(numbers(1, 3))
    await until(() => expect(noted).toEqual([3]))
    const { commit } = await made.log.head()
    const positions = async () => (await db.pool.query('select position_commit as commit from ops.consumer_checkpoint')).rows
    await until(async () => expect(await positions()).toEqual([{ commit }]))
    await running.stop()
  })

  test('costs a batch the event that it cannot have, and no other', async () => {
    await made.deliverAll(1, 5)
    const running = run('4')
    await effects.become(['1', '2', '3', '5'])
    expect(await effects.letters()).toHaveLength(1)
    await running.stop()
  })

  test('is not had by who lost the group', async () => {
    await made.deliver(1)
    const running = run()
    await effects.become(['1'])
    await db.pool.query(`update ops.consumer_checkpoint set epoch = epoch + 1, owner = gen_random_uuid(), lease_until = 'infinity'`)
    await made.deliver(2)
    await until(() => expect(running.progress().position).toBeNull())
    expect(await effects.all()).toHaveLength(1)
    await running.stop()
  })
})

describe('a subscription that ends by itself', () => {
  let db: TestDatabase
  let effects: Effects
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
  })
  afterAll(() => db.drop())

  test('is reported and opened again, after a pause that leaves the event loop to others', async () => {
    const { log, deliver } = logOfDeliveries()
    const faults: unknown[] = []
    let ended = 0
    const ending: EventLog['subscribe'] = (options) => (ended++ === 0 ? (async function* () {})() : log.subscribe(options))
    const consumer = runDirectConsumer({
      consumer: effects.noting(),
      log: { ...log, subscribe: ending },
      pool: db.pool,
      startAt: 'start',
      onFault: (error) => faults.push(error),
    })
    await deliver(1)
    await effects.become(['1'])
    expect(faults).toEqual([expect.objectContaining({ name: 'Unavailable' })])
    await consumer.stop()
    await log.close()
  })
})
