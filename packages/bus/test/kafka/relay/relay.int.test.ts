import { LogWentBack } from '@tidings/event-store'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { runBroker } from '@tidings/testing/kafka'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readRecord } from '../../../src/kafka/record.ts'
import { type Effects, effectsIn, numbers } from '../../testing/effects.ts'
import { type KafkaWorld, kafkaWorld } from '../../testing/kafka-world.ts'
import { type LogOfDeliveries, logOfDeliveries, WORKSPACE } from '../../testing/log-of-deliveries.ts'
import { topicContents } from '../../testing/topic-reader.ts'

const broker = await runBroker()

let db: TestDatabase
let effects: Effects
let made: LogOfDeliveries
let world: KafkaWorld

const relay = (types?: readonly string[]) => world.relay({ store: made.store, pool: db.pool, ...(types && { types }) })
const contact = (n: number) => ({ contact: `contact ${n % 5}` })
const published = async () => (await topicContents(world)).map(({ message }) => readRecord(message)).filter((record) => record !== null)
const revisions = async () => (await published()).map(({ position }) => Number(position.commit))

/** The checkpoint, which no test may find anywhere but at the end of the log. */
const atTheEnd = async () => {
  const { rows } = await db.pool.query<{ at: bigint }>('select position_commit as at from ops.relay')
  expect(rows[0]?.at).toBe((await made.log.head()).commit)
}

describe.runIf(broker !== null)('the relay', () => {
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
  })
  afterAll(() => db.drop())
  beforeEach(async () => {
    await effects.clear()
    made = logOfDeliveries()
    world = kafkaWorld(broker ?? '')
  })
  afterEach(async () => {
    await world.close()
    await made.log.close()
  })

  /** A group at the start of the log, so that the relay begins there. */
  const groupAtStart = () =>
    db.pool.query(`insert into ops.consumer_checkpoint (consumer_group, position_commit, position_prepare) values ('test', -1, -1)`)

  test('publishes what is on its list, each record naming the one before it in its partition', async () => {
    await groupAtStart()
    await made.deliverAll(1, 60, contact)
    await made.deliver(61, { type: 'MessageComplained' })
    await made.deliverAll(62, 80, contact)
    relay(['MessageDelivered'])
    await until(atTheEnd)
    const messages = await topicContents(world)
    expect(messages).toHaveLength(79)
    for (const of of Map.groupBy(messages, ({ partition }) => partition).values()) {
      const chain = of.map(({ message }) => readRecord(message))
      expect(chain.map((record) => record?.previous.commit)).toEqual([-1n, ...chain.slice(0, -1).map((record) => record?.position.commit)])
      expect(chain.every((record) => record?.type === 'MessageDelivered')).toBe(true)
    }
  })

  test('begins at the head where no consumer exists', async () => {
    await made.deliverAll(1, 5)
    const { progress } = relay()
    await until(() => expect(progress().leader).toBe(true))
    await made.deliver(6)
    await until(async () => expect(await published()).toHaveLength(1))
  })

  test('that was killed between sending and its checkpoint sends an ordered suffix again, and no consumer does anything twice', async () => {
    await groupAtStart()
    // A group that still needs all of it: what every group has handled is not sent again.
    await db.pool.query(`insert into ops.consumer_checkpoint (consumer_group, position_commit, position_prepare) values ('slow', -1, -1)`)
    const first = relay()
    const consumer = world.transport({ consumer: effects.noting(), log: made.log, pool: db.pool, startAt: 'start' })
    await made.deliverAll(1, 10)
    await effects.become(numbers(1, 10))
    // A stop does not wait longer than 3 s for the answer to what the consumer has already.
    await until(atTheEnd)
    await first.stop()
    const { rows } = await db.pool.query<{ at: bigint }>('select position_commit as at from ops.relay')
    const back = (rows[0]?.at ?? 0n) - 4n
    // The moment in which the records are in the topic and the checkpoint is not moved. Positions here are dense, and all of one contact.
    await db.pool.query(
      `update ops.relay set position_commit = ${back}; update ops.relay_partition set position_commit = ${back} where position_commit > ${back}`,
    )
    relay()
    await made.deliver(11)
    await effects.become(numbers(1, 11))
    expect(await revisions()).toHaveLength(15)
    await consumer.stop()
  })

  test('is one of many: another takes over when it stops, and goes on where it was', async () => {
    await groupAtStart()
    const first = relay()
    await until(() => expect(first.progress().leader).toBe(true))
    const second = relay()
    await made.deliverAll(1, 20, contact)
    await until(atTheEnd)
    // Where the first stood still for longer than its lease, the second leads.
    const leads = () => [first, second].map(({ progress }) => progress().leader)
    await until(() => expect(leads().filter((does) => does)).toHaveLength(1))
    const [leading, other] = leads()[0] === true ? [first, second] : [second, first]
    await leading.stop()
    await made.deliverAll(21, 40, contact)
    await until(() => expect(other.progress().leader).toBe(true))
    await until(atTheEnd)
    const sent = await revisions()
    expect(new Set(sent)).toEqual(new Set(Array.from({ length: 40 }, (_, n) => n + 1)))
    // One that began anew would have sent twenty again.
    expect(sent.length).toBeLessThan(60)
  })

  test('that lost the lead writes no checkpoint, and publishes nothing more than what it was sending', async () => {
    const zombie = relay()
    await until(() => expect(zombie.progress().leader).toBe(true))
    await db.pool.query(`update ops.relay set epoch = epoch + 1, owner = gen_random_uuid(), lease_until = 'infinity'`)
    await made.deliverAll(1, 3)
    await until(() => expect(zombie.progress().leader).toBe(false))
    await made.deliverAll(4, 6)
    const { rows } = await db.pool.query<{ at: bigint }>('select position_commit as at from ops.relay')
    expect(rows[0]?.at).toBeLessThan((await made.log.head()).commit)
  })

  test('publishes nothing that it remembers of a log that went back', async () => {
    await groupAtStart()
    await made.deliverAll(1, 3)
    let asked = 0
    const confirm = () => {
      asked++
      return Promise.reject(new LogWentBack('the log was set back'))
    }
    world.relay({ store: { ...made.store, confirm }, pool: db.pool })
    await until(() => expect(asked).toBeGreaterThan(1))
    expect(await published()).toEqual([])
  })

  test('sends an event that is too large for a broker by its name, and its consumer reads it from the log', async () => {
    await groupAtStart()
    await made.deliver(1)
    const large = { type: 'MessageDelivered', data: { messageId: '2', contactId: 'c', channel: 'email', padding: 'x'.repeat(900_000) } }
    const context = {
      commandId: 'large',
      workspaceId: WORKSPACE,
      actor: 'test',
      requestId: 'r',
      at: '2026-11-21T10:00:00.000Z',
    }
    await made.log.append('message-large', 'any', [large], context)
    await made.deliver(3)
    relay()
    const consumer = world.transport({ consumer: effects.noting(), log: made.log, pool: db.pool, startAt: 'start' })
    await effects.become(numbers(1, 3))
    expect((await published()).map(({ event }) => event === null)).toEqual([false, true, false])
    await consumer.stop()
  })

  test('sends by their names what a broker refuses that takes less than others', async () => {
    await groupAtStart()
    const admin = world.client.admin()
    const configEntries = [{ name: 'max.message.bytes', value: '5000' }]
    await admin.createTopics({ topics: [{ topic: world.topic, numPartitions: 4, configEntries }] })
    await admin.disconnect()
    await made.deliverAll(1, 6)
    const padded = { type: 'MessageDelivered', data: { messageId: '7', contactId: 'c', channel: 'email', padding: 'x'.repeat(6_000) } }
    const context = { commandId: 'padded', workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: '2026-11-21T10:00:00.000Z' }
    await made.log.append('message-padded', 'any', [padded], context)
    relay()
    const consumer = world.transport({ consumer: effects.noting(), log: made.log, pool: db.pool, startAt: 'start' })
    await effects.become(numbers(1, 7))
    expect((await published()).every(({ event }) => event === null)).toBe(true)
    await consumer.stop()
  })

  test('with a longer list begins a new chain, so that a consumer of the new type misses nothing', async () => {
    await groupAtStart()
    const old = relay(['MessageDelivered'])
    await made.deliver(1, { type: 'MessageComplained' })
    await made.deliver(2)
    await until(atTheEnd)
    await old.stop()
    const consumer = effects.noting({ types: ['MessageDelivered', 'MessageComplained'] })
    relay(['MessageDelivered', 'MessageComplained'])
    const running = world.transport({ consumer, log: made.log, pool: db.pool, startAt: 'start' })
    await made.deliver(3, { type: 'MessageComplained' })
    await effects.become(['1', '2', '3'])
    await running.stop()
  })

  test('refuses a topic that has become smaller, with what to do', async () => {
    const faults: string[] = []
    const small = kafkaWorld(broker ?? '', 2)
    const admin = small.client.admin()
    await admin.createTopics({ topics: [{ topic: small.topic, numPartitions: 1 }] })
    await admin.disconnect()
    await db.pool.query(
      `insert into ops.relay (topic, partitions, types, position_commit, position_prepare) values ($1, 2, '{}', -1, -1)`,
      [small.topic],
    )
    small.relay({ store: made.store, pool: db.pool, onFault: (error) => faults.push(String(error)) })
    await until(() => expect(faults.join()).toMatch(/has 1 partitions, and 2 were written to: enlarge it, or delete it/))
    await small.close()
  })
})
