import { asContactId, type ContactId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { runBroker } from '@tidings/testing/kafka'
import { describe, expect, test } from 'vitest'
import { kafkaTransport } from '../../../src/kafka/consume/kafka-consumer.ts'
import { createMember } from '../../../src/kafka/consume/member.ts'
import { createTopicReader } from '../../../src/kafka/consume/topic-reader.ts'
import { keyOf, partitionOf } from '../../../src/partition.ts'
import { eachGroupsWorld } from '../../testing/groups-world.ts'
import { WORKSPACE } from '../../testing/log-of-deliveries.ts'

const broker = await runBroker()
const START = { commit: -1n, prepare: -1n }

describe.runIf(broker !== null)('the session of a process', () => {
  const world = eachGroupsWorld(broker)
  const transport = () => kafkaTransport(world().kafka.kafka)

  test('handles nothing after a stop', async () => {
    const { run, deliverAll, handles, made } = world()
    const process = transport()
    let onConfirm = (): void => undefined
    const confirm = async () => {
      onConfirm()
      await made.log.confirm()
    }
    const a = run(process, 'a', { log: { ...made.log, confirm } })
    await until(() => expect(a.progress().caughtUp).toBe(true))
    let isStopped = false
    const after: string[] = []
    const b = run(process, 'b', {
      before: async (events) => {
        if (isStopped) after.push(...events.map(({ data }) => data.messageId))
      },
    })
    await deliverAll(1, 5)
    await handles('b', 5)
    await until(() => expect(b.progress().caughtUp).toBe(true))
    // The other has been given the same, and has not begun.
    const stopped = Promise.withResolvers<void>()
    onConfirm = () => {
      onConfirm = () => undefined
      void b.stop().then(() => {
        isStopped = true
        stopped.resolve()
      })
    }
    await deliverAll(6, 6)
    await handles('a', 6)
    await stopped.promise
    await deliverAll(7, 20)
    await handles('a', 20)
    expect(after).toEqual([])
  })

  test('leaves the group of Kafka at once where the client must be replaced, though a reader hangs', async () => {
    const { kafka, admin, db, made, members, effects } = world()
    await until(async () => expect((await admin.listTopics()).includes(kafka.topic)).toBe(true))
    const topic = createTopicReader(kafka.kafka)
    const readerOf = (group: string) => {
      topic.expect(group, ['MessageDelivered'])
      const reading = { consumer: effects.noting({ group }), log: made.log, pool: db.pool, signal: new AbortController().signal }
      const membership = { group, topic: kafka.topic, relay: 'r', epoch: 1n, at: [START, START, START, START], passed: new Map() }
      const tally = { position: null, caughtUp: false, lagSeconds: 0, lagEvents: null, unknown: null }
      const left: unknown[] = []
      const member = createMember({ reading, membership, tally, maxBatch: 10 })
      return { left, joined: topic.join({ member, work: () => undefined, leave: (error) => left.push(error) }) }
    }
    const [hanging, other] = [readerOf('hanging'), readerOf('other')]
    await hanging.joined.started
    expect(await members()).toBe(1)
    other.joined.fail(new Error('the client delivers nothing'))
    expect(hanging.left).toEqual([new Error('the client delivers nothing')])
    await until(async () => expect(await members()).toBe(0))
    const next = readerOf('other')
    await next.joined.started
    expect(await members()).toBe(1)
    await Promise.all([hanging, other, next].map(({ joined }) => joined.leave()))
    await expect.poll(members).toBe(0)
  })

  test('leaves the group of Kafka after a stop, though a handler hangs: other processes get the partitions of all groups', async () => {
    const { run, made, members } = world()
    const [begun, hung] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const before = () => {
      begun.resolve()
      return hung.promise
    }
    const hanging = run(transport(), 'hanging', { before })
    await made.deliver(1)
    await begun.promise
    const stopped = hanging.stop()
    // A process that did not leave would be put out of the group after its session, 10 s.
    await expect
      .poll(members)
      .toBe(0)
      .finally(() => hung.resolve())
    await stopped
  })

  test('ends with a stop at any moment of the join, and leaves no member behind', async () => {
    const { run, stopAll, members, deliverAll, handles } = world()
    run(transport(), 'a')
    await deliverAll(1, 5)
    await handles('a', 5)
    for (let delay = 40; delay < 400; delay += 40) {
      const second = run(transport(), 'a')
      await new Promise((resolve) => setTimeout(resolve, delay))
      await second.stop()
    }
    // A member that was left behind would be in the group for its session, 10 s.
    await expect.poll(members).toBe(1)
    await deliverAll(6, 10)
    await handles('a', 10)
    await stopAll()
    await expect.poll(members).toBe(0)
  })
})

describe.runIf(broker !== null)('a partition that delivers nothing', () => {
  const world = eachGroupsWorld(broker)
  const partition = (contactId: ContactId) => partitionOf(keyOf({ workspaceId: WORKSPACE, contactId }), 4)
  const quiet = asContactId('contact 0')
  const busy = Array.from({ length: 20 }, (_, n) => `contact ${n}`).find((one) => partition(asContactId(one)) !== partition(quiet)) ?? ''

  test('is read from the log, also while the group is busy with others', async () => {
    const { run, made, handles, kafka, admin, published, noted } = world()
    const first = run(kafkaTransport(kafka.kafka), 'a')
    await made.deliver(1, { contact: quiet })
    await made.deliver(2, { contact: busy })
    await handles('a', 2)
    await first.stop()
    for (let n = 3; n <= 12; n++) await made.deliver(n, { contact: quiet })
    await published()
    // What a retention does.
    const ends = (await admin.fetchTopicOffsets(kafka.topic)).map(({ partition: at, high }) => ({ partition: at, offset: high }))
    await admin.deleteTopicRecords({ topic: kafka.topic, partitions: ends.filter(({ offset }) => offset !== '0') })
    run(kafkaTransport(kafka.kafka), 'a', { before: () => new Promise((resolve) => setTimeout(resolve, 40)) })
    let isOn = true
    const load = (async () => {
      for (let n = 100; isOn; n++) {
        await made.deliver(n, { contact: busy })
        await new Promise((resolve) => setTimeout(resolve, 15))
      }
    })()
    const its = async () => (await noted('a')).filter((n) => n >= 3 && n <= 12)
    await until(async () => expect(await its()).toHaveLength(10)).finally(() => {
      isOn = false
    })
    await load
  })
})
