import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { runBroker } from '@tidings/testing/kafka'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { handledUpTo } from '../../../src/checkpoint.ts'
import { runDirectConsumer } from '../../../src/direct-consumer.ts'
import type { RunningConsumer, Transport } from '../../../src/port.ts'
import { type Effects, effectsIn, GROUP } from '../../testing/effects.ts'
import { type KafkaWorld, kafkaWorld } from '../../testing/kafka-world.ts'
import { type LogOfDeliveries, logOfDeliveries } from '../../testing/log-of-deliveries.ts'

const broker = await runBroker()

let db: TestDatabase
let effects: Effects
let made: LogOfDeliveries
let world: KafkaWorld
let running: RunningConsumer[]

describe.runIf(broker !== null)('how far a group has handled the log', () => {
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
  })
  afterAll(() => db.drop())
  beforeEach(async () => {
    await effects.clear()
    made = logOfDeliveries()
    world = kafkaWorld(broker ?? '')
    running = []
  })
  afterEach(async () => {
    await stop()
    await world.close()
    await made.log.close()
  })

  const run = (transport: Transport): void => {
    running.push(transport({ consumer: effects.noting(), log: made.log, pool: db.pool, startAt: 'start' }))
  }
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((consumer) => consumer.stop()))
  }
  const deliver = (from: number, to: number) => made.deliverAll(from, to, (n) => ({ contact: `contact ${n % 7}` }))
  const end = async () => (await made.log.head()).commit
  const handled = () => handledUpTo(db.pool, GROUP)
  const catchesUp = async () => until(async () => expect(await handled()).toBeGreaterThanOrEqual(await end()))

  test('is nothing for one that does not exist', async () => {
    expect(await handledUpTo(db.pool, 'none')).toBe(0n)
  })

  test('is its end where it has caught up, in the log as in Kafka, whichever partitions the last events are in', async () => {
    world.relay({ store: made.store, pool: db.pool })
    await deliver(1, 20)
    run(runDirectConsumer)
    await catchesUp()
    await stop()
    run(world.transport)
    await deliver(21, 22)
    await catchesUp()
    await made.deliver(23, { contact: 'one of one partition' })
    await catchesUp()
  })

  test('is before what was published or written and not handled', async () => {
    world.relay({ store: made.store, pool: db.pool })
    await deliver(1, 20)
    run(world.transport)
    await catchesUp()
    const before = await end()
    await stop()
    await deliver(21, 40)
    await until(async () => {
      const relay = await db.pool.query<{ at: bigint }>('select position_commit as at from ops.relay')
      expect(relay.rows[0]?.at).toBe(await end())
    })
    expect(await handled()).toBeLessThanOrEqual(before)
    run(runDirectConsumer)
    await catchesUp()
  })
})
