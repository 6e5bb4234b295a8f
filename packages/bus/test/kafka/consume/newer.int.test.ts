import { eventDeclarations } from '@tidings/domain'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { runBroker } from '@tidings/testing/kafka'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RunningConsumer } from '../../../src/port.ts'
import { type Effects, effectsIn } from '../../testing/effects.ts'
import { type KafkaWorld, kafkaWorld, RELAYED } from '../../testing/kafka-world.ts'
import { type LogOfDeliveries, logOfDeliveries, nextBuild } from '../../testing/log-of-deliveries.ts'
import { topicContents } from '../../testing/topic-reader.ts'

const broker = await runBroker()
const MORE = [...RELAYED, 'MessageTeleported']
const declared = new Set(Object.keys(eventDeclarations))

let db: TestDatabase
let effects: Effects
let made: LogOfDeliveries
let next: LogOfDeliveries
let world: KafkaWorld
let running: RunningConsumer[]

const runOld = () => {
  const consumer = world.transport({ consumer: effects.noting(), log: made.log, pool: db.pool, startAt: 'start' })
  running.push(consumer)
  return consumer
}
/** The consumer of the next release: the same group asks for one more type. */
const runNext = () => {
  const consumer = effects.noting({ types: ['MessageDelivered', 'MessageTeleported'] })
  running.push(world.transport({ consumer, log: next.log, pool: db.pool, startAt: 'start' }))
}
const relayNext = () =>
  world.relay({ store: made.store, pool: db.pool, types: MORE, declared: new Set(Object.keys(nextBuild.declarations)) })

describe.runIf(broker !== null)('a type that only the next release knows', () => {
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
  })
  afterAll(() => db.drop())
  beforeEach(async () => {
    await effects.clear()
    made = logOfDeliveries()
    next = logOfDeliveries(made.store, nextBuild)
    world = kafkaWorld(broker ?? '')
    running = []
    await made.deliver(1)
    await next.deliver(2, { type: 'MessageTeleported' })
    await made.deliver(3)
  })
  afterEach(async () => {
    await Promise.all(running.map((consumer) => consumer.stop()))
    await world.close()
    await made.log.close()
  })

  test('stops a consumer that does not ask for it: the next release of its group may', async () => {
    relayNext()
    const old = runOld()
    await effects.become(['1'])
    await until(() => expect(old.progress().unknownEvent).toMatch(/^MessageTeleported at /))
    runNext()
    await effects.become(['1', '2', '3'])
    await until(() => expect(old.progress().unknownEvent).toBeNull())
  })

  test('stops the relay, which would leave it out, until one of the next release leads', async () => {
    await db.pool.query(`insert into ops.consumer_checkpoint (consumer_group, position_commit, position_prepare) values ('slow', -1, -1)`)
    const relay = world.relay({ store: made.store, pool: db.pool, declared })
    await until(() => expect(relay.progress().unknownEvent).toMatch(/^MessageTeleported at /))
    await expect(relay.ready()).rejects.toThrow('does not know the event MessageTeleported')
    expect(await topicContents(world)).toHaveLength(1)
    relayNext()
    runNext()
    await effects.become(['1', '2', '3'])
    await until(() => expect(relay.progress().unknownEvent).toBeNull())
    await relay.ready()
  })
})
