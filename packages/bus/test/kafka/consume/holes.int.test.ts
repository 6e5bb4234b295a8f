import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { runBroker } from '@tidings/testing/kafka'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RunningConsumer } from '../../../src/port.ts'
import { type Effects, effectsIn, numbers } from '../../testing/effects.ts'
import { type KafkaWorld, kafkaWorld } from '../../testing/kafka-world.ts'
import { type LogOfDeliveries, logOfDeliveries } from '../../testing/log-of-deliveries.ts'
import { topicContents } from '../../testing/topic-reader.ts'

const broker = await runBroker()
const CONTACTS = 5

let db: TestDatabase
let effects: Effects
let made: LogOfDeliveries
let world: KafkaWorld
let faults: string[]
let running: RunningConsumer[]

const run = (): RunningConsumer => {
  const onFault = (error: unknown) => faults.push(String(error))
  const consumer = world.transport({ consumer: effects.noting(), log: made.log, pool: db.pool, startAt: 'start', onFault })
  running.push(consumer)
  return consumer
}
const deliverAll = (from: number, to: number) => made.deliverAll(from, to, (n) => ({ contact: `contact ${n % CONTACTS}` }))

/** Every delivery once, and those of a contact in their order. */
const allOnceInOrder = (last: number) =>
  until(async () => {
    const all = await effects.all()
    expect(all.map(({ message }) => Number(message)).toSorted((a, b) => a - b)).toEqual(numbers(1, last).map(Number))
    for (const of of Map.groupBy(all, ({ contact }) => contact).values()) {
      const order = of.map(({ message }) => Number(message))
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }
  })

const publishedToTheEnd = () =>
  until(async () => {
    const { rows } = await db.pool.query<{ at: bigint }>('select position_commit as at from ops.relay')
    expect(rows[0]?.at).toBe((await made.log.head()).commit)
  })

/** What a retention does that is over. */
async function forgetEverything(): Promise<void> {
  const admin = world.client.admin()
  const partitions = (await admin.fetchTopicOffsets(world.topic)).map(({ partition, high }) => ({ partition, offset: high }))
  await admin.deleteTopicRecords({ topic: world.topic, partitions: partitions.filter(({ offset }) => offset !== '0') })
  await admin.disconnect()
}

async function send(
  ...messages: readonly Readonly<{ key: string; value: string | null; partition: number; headers?: Record<string, Buffer> }>[]
): Promise<void> {
  const producer = world.client.producer()
  await producer.connect()
  await producer.send({ topic: world.topic, messages: [...messages] })
  await producer.disconnect()
}

describe.runIf(broker !== null)('what the topic does not deliver', () => {
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
  })
  afterAll(() => db.drop())
  beforeEach(async () => {
    await effects.clear()
    made = logOfDeliveries()
    world = kafkaWorld(broker ?? '')
    faults = []
    running = []
  })
  afterEach(async () => {
    await Promise.all(running.map((consumer) => consumer.stop()))
    await world.close()
    await made.log.close()
  })

  /** A consumer that has handled 20 deliveries and is gone, while the relay publishes 20 more. */
  async function absence(): Promise<void> {
    const consumer = run()
    world.relay({ store: made.store, pool: db.pool })
    await deliverAll(1, 20)
    await allOnceInOrder(20)
    await consumer.stop()
    await deliverAll(21, 40)
    await publishedToTheEnd()
  }

  test('is read from the log, in order, by a consumer that was away longer than the topic keeps records', async () => {
    await absence()
    await forgetEverything()
    run()
    await deliverAll(41, 60)
    await allOnceInOrder(60)
  })

  test('is read from the log even when nothing new comes that would show the hole', async () => {
    await absence()
    await forgetEverything()
    run()
    await allOnceInOrder(40)
    expect(faults.join()).toMatch(/does not deliver what partition .* was given/)
  })

  test('is read from the log when the topic was deleted, which is made again', async () => {
    await absence()
    const admin = world.client.admin()
    await admin.deleteTopics({ topics: [world.topic] })
    await admin.disconnect()
    run()
    await deliverAll(41, 60)
    await allOnceInOrder(60)
  })

  test('does not stop at what others wrote: what is no record of a relay is set aside, what is another installation’s is passed over', async () => {
    run()
    world.relay({ store: made.store, pool: db.pool })
    await deliverAll(1, 5)
    await allOnceInOrder(5)
    const [first] = await topicContents(world)
    const headers = first?.message.headers as Record<string, Buffer>
    const partition = first?.partition ?? 0
    await send({ key: 'foreign', value: 'foreign', partition })
    await send({
      key: 'other',
      value: '{}',
      partition,
      headers: {
        ...headers,
        stored: Buffer.from(`another ${headers.stored?.toString().split(' ').slice(1).join(' ')}`),
        position: Buffer.from('900/0'),
      },
    })
    await deliverAll(6, 10)
    await allOnceInOrder(10)
    await until(async () =>
      expect(await effects.letters()).toMatchObject([
        { source: 'record', reference: `${world.topic}/${partition}`, attempts: 1, state: 'open' },
      ]),
    )
  })

  test('is one dead letter a partition, which counts: a flood of foreign records leaves two lines', async () => {
    run()
    world.relay({ store: made.store, pool: db.pool })
    await deliverAll(1, 5)
    await allOnceInOrder(5)
    const flood = Array.from({ length: 3_000 }, (_, n) => ({ key: 'foreign', value: 'foreign', partition: n % 3 === 0 ? 0 : 1 }))
    await send(...flood)
    await deliverAll(6, 10)
    await allOnceInOrder(10)
    await until(async () =>
      expect((await effects.letters()).toSorted((a, b) => String(a.reference).localeCompare(String(b.reference)))).toMatchObject([
        { reference: `${world.topic}/0`, attempts: 1_000 },
        { reference: `${world.topic}/1`, attempts: 2_000 },
      ]),
    )
    expect(faults.length).toBeLessThan(100)
  })

  test('or delivers broken is read from the log: a copy that cannot be decoded does no harm', async () => {
    run()
    const relay = world.relay({ store: made.store, pool: db.pool })
    await deliverAll(1, 5)
    await allOnceInOrder(5)
    await relay.stop()
    await made.deliver(6, { contact: 'contact 1' })
    const [template] = (await topicContents(world)).filter(({ message }) => message.key?.toString().endsWith('contact 1')).slice(-1)
    const headers = template?.message.headers as Record<string, Buffer>
    const { commit } = await made.log.head()
    const forged = { ...headers, previous: headers.position as Buffer, position: Buffer.from(`${commit}/0`) }
    await send({ key: 'k', value: '{broken', partition: template?.partition ?? 0, headers: forged })
    await allOnceInOrder(6)
    expect(await effects.letters()).toEqual([])
  })
})
