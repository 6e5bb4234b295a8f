import { START } from '@tidings/event-store'
import { until } from '@tidings/testing'
import { runBroker } from '@tidings/testing/kafka'
import { describe, expect, test } from 'vitest'
import { createGroup } from '../../../src/checkpoint.ts'
import { kafkaTransport } from '../../../src/kafka/consume/kafka-consumer.ts'
import { seedOffsets } from '../../../src/kafka/consume/offsets.ts'
import { eachGroupsWorld } from '../../testing/groups-world.ts'

const broker = await runBroker()

describe.runIf(broker !== null)('a new group of Kafka, as of another version', () => {
  const world = eachGroupsWorld(broker)
  const transport = (build = '') => kafkaTransport({ ...world().kafka.kafka, build })
  /** The log, whose next event comes two minutes after all the records of a test. */
  const later = () => {
    const { log } = world().made
    const hence = new Date(Date.now() + 120_000).toISOString()
    const readAll: typeof log.readAll = async (from, limit, options) => {
      const page = await log.readAll(from, limit, options)
      return limit === 1 && from !== 'start' ? { ...page, events: page.events.map((event) => ({ ...event, created: hence })) } : page
    }
    return { ...log, readAll }
  }

  test('begins where its groups are and not at the start of the topic, also in a process that comes later', async () => {
    const { run, deliverAll, handles, kafka, effects, stopAll, db, made, groupIds, offsets, members, faults } = world()
    run(transport(), 'a')
    await deliverAll(1, 20)
    await handles('a', 20)
    const producer = kafka.client.producer()
    await producer.connect()
    // A member that reads these records again writes their dead letters again.
    const messages = [0, 1, 2, 3].map((partition) => ({ key: 'foreign', value: 'foreign', partition }))
    await producer.send({ topic: kafka.topic, messages })
    await producer.disconnect()
    await until(async () => expect(await effects.letters()).toHaveLength(4))
    const [old] = await groupIds()
    await stopAll()
    await db.pool.query('delete from ops.dead_letter')
    faults.length = 0
    await made.deliver(21, { type: 'MessageComplained' })
    run(transport('next'), 'a', { log: later() })
    await until(async () => expect(await groupIds()).toHaveLength(2))
    const [next = ''] = (await groupIds()).filter((id) => id !== old)
    await until(async () => expect((await offsets(next)).filter((offset) => offset !== '-1')).toHaveLength(4))
    run(transport('next'), 'a', { log: later() })
    await until(async () => expect(await members()).toBe(2))
    for (let n = 22; n < 32; n++) await made.deliver(n, { contact: `contact ${n % 5}` })
    await until(async () => expect(await effects.all()).toHaveLength(30))
    expect(await effects.letters()).toEqual([])
    expect(faults).toEqual([])
  })

  test('leaves out a group that is very far behind, which has its events from the log', async () => {
    const { run, deliverAll, handles, kafka, admin, stopAll, db, made, published } = world()
    run(transport(), 'a')
    await deliverAll(1, 20)
    await handles('a', 20)
    await stopAll()
    await createGroup(db.pool, 'at the start', START)
    await made.deliver(21)
    await published()
    const { topic } = kafka
    const seeding = {
      kafka: kafka.kafka,
      topic,
      groupId: `${topic}-next`,
      groups: ['a', 'at the start'],
      signal: new AbortController().signal,
    }
    const ends = (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, high] as const)
    const from = { pool: db.pool, log: later() }
    expect(new Map(await seedOffsets({ ...seeding, mostAgain: 0n }, from))).toEqual(new Map(ends))
    expect(new Set((await seedOffsets(seeding, from)).values())).toEqual(new Set(['0']))
  })

  test.each([
    ['another product', { type: 'Foreign', data: '{}', meta: '{}' }],
    ['a broken event', { type: 'MessageDelivered', data: '{broken', meta: '{broken' }],
  ])('starts although the next event of the log is of %s', async (_, event) => {
    const { run, deliverAll, noted, handles, stopAll, db, made, published } = world()
    run(transport(), 'a')
    await deliverAll(1, 10)
    await handles('a', 10)
    const positions = async () => (await db.pool.query('select distinct position_commit as at from ops.consumer_partition')).rows
    await until(async () => expect(await positions()).toEqual([{ at: (await made.log.head()).commit }]))
    await stopAll()
    await made.store.append('foreign-1', 'any', [{ id: '0192b1f0-0000-7000-8000-0000000000ff', ...event }])
    await deliverAll(11, 20)
    await published()
    run(transport('next'), 'a')
    await until(async () => expect(await noted('a')).toHaveLength(20))
  })
})
