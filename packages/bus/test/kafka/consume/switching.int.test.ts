import { asContactId } from '@tidings/domain'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { runBroker } from '@tidings/testing/kafka'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runDirectConsumer } from '../../../src/direct-consumer.ts'
import { keyOf, partitionOf } from '../../../src/partition.ts'
import type { RunningConsumer, Transport } from '../../../src/port.ts'
import { type Effects, effectsIn, numbers } from '../../testing/effects.ts'
import { type KafkaWorld, kafkaWorld } from '../../testing/kafka-world.ts'
import { type LogOfDeliveries, logOfDeliveries, WORKSPACE } from '../../testing/log-of-deliveries.ts'

const broker = await runBroker()
const CONTACTS = 9
const PARTITIONS = 4

let db: TestDatabase
let effects: Effects
let made: LogOfDeliveries
let worlds: KafkaWorld[]
let running: Set<RunningConsumer>

const start = (transport: Transport): RunningConsumer => {
  const consumer = transport({ consumer: effects.noting(), log: made.log, pool: db.pool, startAt: 'start', maxBatch: 50 })
  running.add(consumer)
  return consumer
}
const stop = async (...consumers: readonly RunningConsumer[]) => {
  await Promise.all(consumers.map((consumer) => consumer.stop()))
  for (const consumer of consumers) running.delete(consumer)
}
const kafka = (): KafkaWorld => {
  const world = kafkaWorld(broker ?? '', PARTITIONS)
  world.relay({ store: made.store, pool: db.pool })
  worlds.push(world)
  return world
}

/** Deliveries one after the other, until the stop; returns how many there were. */
function underLoad() {
  let going = true
  let count = 0
  const writing = (async () => {
    while (going) {
      count++
      await made.deliver(count, { contact: `contact ${count % CONTACTS}` })
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()
  return {
    /** Waits until so many more have taken effect. */
    progress: async (more: number) => {
      const { length } = await effects.all()
      await until(async () => expect((await effects.all()).length).toBeGreaterThan(length + more))
    },
    end: async () => {
      going = false
      await writing
      return count
    },
  }
}

async function expectOnceInOrder(last: number): Promise<void> {
  await until(async () => expect((await effects.all()).length).toBeGreaterThanOrEqual(last))
  const all = await effects.all()
  expect(all.map(({ message }) => Number(message)).toSorted((a, b) => a - b)).toEqual(numbers(1, last).map(Number))
  for (const of of Map.groupBy(all, ({ contact }) => contact).values()) {
    const order = of.map(({ message }) => Number(message))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  }
}

const group = async () =>
  (
    await db.pool.query<{ relay: string | null; partitions: number }>(
      'select relay, (select count(*)::int from ops.consumer_partition) as partitions from ops.consumer_checkpoint',
    )
  ).rows[0]

describe.runIf(broker !== null)('Kafka is switched', () => {
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
  })
  afterAll(() => db.drop())
  beforeEach(async () => {
    await effects.clear()
    made = logOfDeliveries()
    worlds = []
    running = new Set()
  })
  afterEach(async () => {
    await stop(...running)
    await Promise.all(worlds.map((world) => world.close()))
    await made.log.close()
  })

  test('on and off and on under load: nothing is lost, nothing is done twice, a contact stays in order', async () => {
    const load = underLoad()
    const direct = start(runDirectConsumer)
    await load.progress(100)
    const { transport } = kafka()
    const [first, second] = [start(transport), start(transport)]
    await load.progress(100)
    await stop(direct)
    await until(async () => expect((await group())?.relay).not.toBeNull())
    await load.progress(200)
    const again = start(runDirectConsumer)
    await until(() => expect(again.progress().position).not.toBeNull())
    await load.progress(200)
    await stop(first, second)
    await until(async () => expect(await group()).toEqual({ relay: null, partitions: 0 }))
    await stop(again)
    start(transport)
    await until(async () => expect((await group())?.relay).not.toBeNull())
    await load.progress(200)
    await expectOnceInOrder(await load.end())
  })

  test('to another topic under load, as after a restored backup', async () => {
    const load = underLoad()
    const before = start(kafka().transport)
    await load.progress(200)
    const old = (await group())?.relay
    await stop(before)
    start(kafka().transport)
    await until(async () => expect((await group())?.relay).not.toBe(old))
    await load.progress(200)
    await expectOnceInOrder(await load.end())
  })

  test('off where the partitions are not equally far: the log is read from the slowest, and what the faster had done is left out', async () => {
    const { transport } = kafka()
    const members = start(transport)
    await made.deliverAll(1, 90, (n) => ({ contact: `contact ${n % CONTACTS}` }))
    await until(async () => expect(await effects.all()).toHaveLength(90))
    await stop(members)
    // One partition falls back, with what it had done: as if its member had been slow.
    const slow = partitionOf(keyOf({ workspaceId: WORKSPACE, contactId: asContactId('contact 0') }), PARTITIONS)
    await db.pool.query('update ops.consumer_partition set position_commit = -1, position_prepare = -1 where partition = $1', [slow])
    start(runDirectConsumer)
    await until(async () => expect(await group()).toEqual({ relay: null, partitions: 0 }))
    const { rows: doubled } = await db.pool.query<{ contact: string; times: bigint }>(
      'select contact, count(*) as times from effect group by contact having count(*) <> 10',
    )
    // All events that fell back came again, and no others.
    expect(doubled.length).toBeGreaterThan(0)
    expect(doubled.length).toBeLessThan(CONTACTS)
    expect(doubled.every(({ times }) => times === 20n)).toBe(true)
  })
})
