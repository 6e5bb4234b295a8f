import { type TestDatabase, testDatabase } from '@tidings/testing'
import { runBroker } from '@tidings/testing/kafka'
import type { Admin } from 'kafkajs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ConsumerOptions, RunningConsumer, Transport } from '../../port.ts'
import { type Delivered, type Effects, effectsIn, numbers, until } from '../../testing/effects.ts'
import { type KafkaWorld, kafkaWorld } from '../../testing/kafka-world.ts'
import { type LogOfDeliveries, logOfDeliveries } from '../../testing/log-of-deliveries.ts'
import { kafkaTransport } from './kafka-consumer.ts'

const broker = await runBroker()
const CONTACTS = 5

let db: TestDatabase
let effects: Effects
let made: LogOfDeliveries
let world: KafkaWorld
let admin: Admin
let faults: string[]
let running: RunningConsumer[]

/** A group that notes what it handles under its name; `failing` answers whether Postgres fails it for now. */
const run = (transport: Transport, group: string, changes: Partial<ConsumerOptions & { failing: () => boolean }> = {}): RunningConsumer => {
  const { failing = () => false, ...options } = changes
  const consumer = effects.noting({
    group,
    handle: async (events, tx) => {
      if (failing()) throw Object.assign(new Error('busy'), { code: '40001' })
      for (const { data } of events as readonly Delivered[])
        await tx.query('insert into effect (message, contact) values ($1, $2)', [`${group} ${data.messageId}`, data.contactId])
      return undefined
    },
  })
  const onFault = (error: unknown) => faults.push(String(error))
  const started = transport({ consumer, log: made.log, pool: db.pool, startAt: 'start', onFault, ...options })
  running.push(started)
  return started
}
const stopAll = async () => {
  await Promise.all(running.map((consumer) => consumer.stop()))
  running = []
}
const deliverAll = (from: number, to: number) => made.deliverAll(from, to, (n) => ({ contact: `contact ${n % CONTACTS}` }))

/** Waits until the group has handled these numbers, and checks that each came once, those of a contact in their order. */
async function handles(group: string, last: number): Promise<void> {
  const its = async () =>
    (await effects.all()).flatMap(({ message, contact }) =>
      message.startsWith(`${group} `) ? [{ number: Number(message.split(' ')[1]), contact }] : [],
    )
  await until(async () => expect((await its()).length).toBeGreaterThanOrEqual(last))
  const all = await its()
  expect(all.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(numbers(1, last).map(Number))
  for (const of of Map.groupBy(all, ({ contact }) => contact).values()) {
    const order = of.map(({ number }) => number)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  }
}

const groupIds = async () => {
  const { groups } = await admin.listGroups()
  return groups.flatMap(({ groupId }) => (groupId.startsWith(world.kafka.prefix) ? [groupId] : []))
}
/** How many records the groups of Kafka need not be given again. */
const committed = async () => {
  const [groupId = ''] = await groupIds()
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [world.topic] })
  return (offsets?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0)
}

describe.runIf(broker !== null)('the groups of a process', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
  })
  afterAll(() => db.drop())
  beforeEach(async () => {
    await effects.clear()
    made = logOfDeliveries()
    world = kafkaWorld(broker ?? '')
    admin = world.client.admin()
    await admin.connect()
    faults = []
    running = []
    world.relay({ store: made.store, pool: db.pool })
  })
  afterEach(async () => {
    await stopAll()
    await admin.disconnect()
    await world.close()
    await made.log.close()
  })

  test('are one member of one group of Kafka, and each handles everything', async () => {
    const transport = kafkaTransport(world.kafka)
    for (const group of ['a', 'b', 'c']) run(transport, group)
    await deliverAll(1, 30)
    for (const group of ['a', 'b', 'c']) await handles(group, 30)
    const { groups } = await admin.describeGroups(await groupIds())
    expect(groups.map(({ members }) => members.length)).toEqual([1])
    expect(faults).toEqual([])
  })

  test('share the partitions with those of another process', async () => {
    const [one, other] = [kafkaTransport(world.kafka), kafkaTransport(world.kafka)]
    for (const group of ['a', 'b']) for (const transport of [one, other]) run(transport, group)
    await until(async () => expect((await admin.describeGroups(await groupIds())).groups[0]?.members).toHaveLength(2))
    await deliverAll(1, 60)
    for (const group of ['a', 'b']) await handles(group, 60)
  })

  test('wait for none that fails: it has everything once it can, from the log', async () => {
    const transport = kafkaTransport(world.kafka)
    let isFailing = true
    run(transport, 'well', { maxBatch: 10 })
    run(transport, 'ill', { maxBatch: 10, failing: () => isFailing })
    for (let from = 1; from < 200; from += 20) {
      await deliverAll(from, from + 19)
      await handles('well', from + 19)
    }
    isFailing = false
    await handles('ill', 200)
    expect(new Set(faults)).toEqual(new Set(['Error: busy']))
    await deliverAll(201, 220)
    await handles('ill', 220)
  })

  test('wait for none whose statement hangs', async () => {
    const transport = kafkaTransport(world.kafka)
    const lock = await db.pool.connect()
    await lock.query('select pg_advisory_lock(77)')
    const hanging = effects.noting({
      group: 'hanging',
      handle: async (events, tx) => {
        await tx.query('select pg_advisory_xact_lock(77)')
        for (const { data } of events as readonly Delivered[])
          await tx.query('insert into effect (message, contact) values ($1, $2)', [`hanging ${data.messageId}`, data.contactId])
        return undefined
      },
    })
    run(transport, 'well')
    running.push(transport({ consumer: hanging, log: made.log, pool: db.pool, startAt: 'start', maxBatch: 5 }))
    for (let from = 1; from < 100; from += 20) {
      await deliverAll(from, from + 19)
      await handles('well', from + 19)
    }
    expect((await effects.all()).some(({ message }) => message.startsWith('hanging'))).toBe(false)
    await lock.query('select pg_advisory_unlock(77)')
    lock.release()
    await handles('hanging', 100)
  })

  test('may come later than others: what those were given before comes from the log', async () => {
    const transport = kafkaTransport(world.kafka)
    run(transport, 'first')
    await deliverAll(1, 20)
    await handles('first', 20)
    run(transport, 'late')
    await handles('late', 20)
    await deliverAll(21, 40)
    for (const group of ['first', 'late']) await handles(group, 40)
    expect(faults).toEqual([])
  })

  test('keep the place of the slowest for the next process', async () => {
    const transport = kafkaTransport(world.kafka)
    let isFailing = false
    const start = (one: Transport) => {
      run(one, 'well')
      run(one, 'ill', { failing: () => isFailing })
    }
    start(transport)
    await deliverAll(1, 20)
    await until(async () => expect(await committed()).toBe(20))
    isFailing = true
    await deliverAll(21, 60)
    await handles('well', 60)
    // The well has passed a commit, and is at another one.
    await until(() => expect(faults.length).toBeGreaterThan(6))
    expect(await committed()).toBe(20)
    await stopAll()
    isFailing = false
    faults = []
    start(kafkaTransport(world.kafka))
    for (const group of ['well', 'ill']) await handles(group, 60)
    await until(async () => expect(await committed()).toBe(60))
    expect(faults).toEqual([])
  })

  test('of another version are in another group, which begins where they are and not at the start of the topic', async () => {
    const producer = world.client.producer()
    await producer.connect()
    run(kafkaTransport(world.kafka), 'a')
    await deliverAll(1, 20)
    await handles('a', 20)
    await producer.send({ topic: world.topic, messages: [{ key: 'foreign', value: 'foreign', partition: 0 }] })
    await producer.disconnect()
    await until(async () => expect(await effects.letters()).toHaveLength(1))
    await stopAll()
    await db.pool.query('delete from ops.dead_letter')
    const next = kafkaTransport({ ...world.kafka, build: 'next' })
    const hence = new Date(Date.now() + 120_000).toISOString()
    const readAll: typeof made.log.readAll = async (from, limit, options) => {
      const page = await made.log.readAll(from, limit, options)
      return limit === 1 ? { ...page, events: page.events.map((event) => ({ ...event, created: hence })) } : page
    }
    await made.deliver(21, { type: 'MessageComplained' })
    run(next, 'a', { log: { ...made.log, readAll } })
    await until(async () => expect(await groupIds()).toHaveLength(2))
    await made.deliver(22, { contact: 'contact 1' })
    await until(async () => expect((await effects.all()).at(-1)).toMatchObject({ message: 'a 22' }))
    expect(await effects.letters()).toEqual([])
  })

  test('of two versions at once do everything once', async () => {
    const old = kafkaTransport({ ...world.kafka, build: 'old' })
    const next = kafkaTransport({ ...world.kafka, build: 'next' })
    for (const group of ['a', 'b']) run(old, group, { maxBatch: 10 })
    await deliverAll(1, 30)
    for (const group of ['a', 'b']) run(next, group, { maxBatch: 10 })
    for (let from = 31; from < 300; from += 30) await deliverAll(from, from + 29)
    await stopAll()
    for (const group of ['a', 'b']) run(next, group)
    for (const group of ['a', 'b']) await handles(group, 300)
  })
})
