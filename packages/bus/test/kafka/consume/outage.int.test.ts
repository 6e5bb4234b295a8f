import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { runBroker, startTestBroker, type TestBroker } from '@tidings/testing/kafka'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { groupIdOf } from '../../../src/kafka/settings.ts'
import type { Consumer } from '../../../src/port.ts'
import { type Effects, effectsIn, numbers } from '../../testing/effects.ts'
import { type KafkaWorld, kafkaWorld } from '../../testing/kafka-world.ts'
import { type LogOfDeliveries, logOfDeliveries } from '../../testing/log-of-deliveries.ts'
import { topicContents } from '../../testing/topic-reader.ts'

// What the broker and the client do to us (docs/explanation/the-bus.md), each on a broker that this file may kill.
const canRun = (await runBroker()) !== null

let db: TestDatabase
let effects: Effects
let broker: TestBroker
let made: LogOfDeliveries
let world: KafkaWorld

const run = (consumer: Consumer = effects.noting()) => world.transport({ consumer, log: made.log, pool: db.pool, startAt: 'start' })
const relay = () => world.relay({ store: made.store, pool: db.pool })
const members = async () => {
  const admin = world.client.admin()
  const { groups } = await admin.describeGroups([groupIdOf(world.kafka, new Map([['test', ['MessageDelivered']]]))])
  await admin.disconnect()
  return groups[0]?.members.length
}

describe.runIf(canRun)('a broker that fails', () => {
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
    broker = await startTestBroker({ proxy: true })
  })
  afterAll(() => Promise.all([db.drop(), broker.stop()]))
  beforeEach(async () => {
    await effects.clear()
    made = logOfDeliveries()
    world = kafkaWorld(broker.address)
  })
  afterEach(async () => {
    broker.proxy?.loseAcknowledgements(0)
    await world.close()
    await made.log.close()
  })

  test('loses acknowledgements: what is stored twice takes effect once', async () => {
    const consumer = run()
    relay()
    await made.deliver(1)
    await effects.become(['1'])
    const lost = broker.proxy?.lost() ?? 0
    broker.proxy?.loseAcknowledgements(3)
    for (let n = 2; n <= 60; n++) {
      await made.deliver(n)
      if (n % 5 === 0) await until(async () => expect(await effects.all()).toHaveLength(n))
    }
    await effects.become(numbers(1, 60))
    broker.proxy?.loseAcknowledgements(0)
    expect(broker.proxy?.lost()).toBeGreaterThan(lost)
    expect((await topicContents(world)).length).toBeGreaterThan(60)
    await consumer.stop()
  })

  test('goes away and comes back: nothing is lost or done twice, and what was accepted meanwhile follows', async () => {
    const consumer = run()
    relay()
    await made.deliverAll(1, 5)
    await effects.become(numbers(1, 5))
    await broker.kill()
    await made.deliverAll(6, 10)
    await broker.start()
    await made.deliverAll(11, 15)
    await effects.become(numbers(1, 15))
    await consumer.stop()
  })

  test('does not delay a stop, and who was stopped does not join again when it is back', async () => {
    const consumer = run()
    const relaying = relay()
    await made.deliver(1)
    await effects.become(['1'])
    await broker.kill()
    await made.deliver(2)
    await Promise.all([consumer.stop(), relaying.stop()])
    await broker.start()
    await until(async () => expect(await members()).toBe(0))
    await made.deliver(3)
    expect((await effects.all()).map(({ message }) => message)).toEqual(['1'])
    await until(async () => expect(await members()).toBe(0))
  })

  test('is joined by another while an effect takes longer than a session without heartbeats: it happens once', async () => {
    const inner = effects.noting()
    let slow = true
    const slowOnce = effects.noting({
      handle: async (events, tx) => {
        if (slow) {
          slow = false
          // This is longer than a member's session lasts without a heartbeat.
          await tx.query('select pg_sleep(13)')
        }
        return await inner.handle(events, tx)
      },
    })
    const first = run(slowOnce)
    relay()
    await until(() => expect(first.progress().position).not.toBeNull())
    await made.deliverAll(1, 3)
    await until(() => expect(slow).toBe(false))
    const second = run(inner)
    await made.deliverAll(4, 6)
    await effects.become(numbers(1, 6))
    await Promise.all([first.stop(), second.stop()])
    expect(await effects.letters()).toEqual([])
  })
})
