import { until } from '@tidings/testing'
import { runBroker } from '@tidings/testing/kafka'
import { describe, expect, test } from 'vitest'
import { kafkaTransport } from '../../../src/kafka/consume/kafka-consumer.ts'
import type { Transport } from '../../../src/port.ts'
import { eachGroupsWorld } from '../../testing/groups-world.ts'

const broker = await runBroker()

/** How many records the group of Kafka need not be given again. */
const sumOf = (offsets: readonly string[]): number => offsets.reduce((sum, offset) => sum + Math.max(0, Number(offset)), 0)

describe.runIf(broker !== null)('the groups of a process', () => {
  const world = eachGroupsWorld(broker)
  const transport = (build = '') => kafkaTransport({ ...world().kafka.kafka, build })

  test('are one member of one group of Kafka, and each handles everything', async () => {
    const { run, deliverAll, handles, groupIds, members, faults } = world()
    const process = transport()
    for (const group of ['a', 'b', 'c']) run(process, group)
    await deliverAll(1, 30)
    for (const group of ['a', 'b', 'c']) await handles(group, 30)
    expect(await groupIds()).toHaveLength(1)
    expect(await members()).toBe(1)
    expect(faults).toEqual([])
  })

  test('share the partitions with those of another process', async () => {
    const { run, deliverAll, handles, members } = world()
    const processes = [transport(), transport()]
    for (const group of ['a', 'b']) for (const process of processes) run(process, group)
    await until(async () => expect(await members()).toBe(2))
    await deliverAll(1, 60)
    for (const group of ['a', 'b']) await handles(group, 60)
  })

  test('wait for none that fails: it has everything once it can, from the log', async () => {
    const { run, deliverAll, handles, faults } = world()
    const process = transport()
    let isFailing = true
    run(process, 'well', { maxBatch: 10 })
    run(process, 'ill', { maxBatch: 10, failing: () => isFailing })
    for (let from = 1; from < 200; from += 20) {
      await deliverAll(from, from + 19)
      await handles('well', from + 19)
    }
    isFailing = false
    await handles('ill', 200)
    expect(new Set(faults)).toEqual(new Set(['ill: Error: busy']))
    await deliverAll(201, 220)
    await handles('ill', 220)
  })

  test('wait for none that hangs, which says that it is behind', async () => {
    const { run, deliverAll, handles, noted } = world()
    const process = transport()
    const hung = Promise.withResolvers<void>()
    run(process, 'well')
    const hanging = run(process, 'hanging', { maxBatch: 5, before: () => hung.promise })
    await until(() => expect(hanging.progress().caughtUp).toBe(true))
    for (let from = 1; from < 100; from += 20) {
      await deliverAll(from, from + 19)
      await handles('well', from + 19)
    }
    expect(await noted('hanging')).toEqual([])
    await until(() => expect(hanging.progress()).toMatchObject({ caughtUp: false, lagEvents: 100 }))
    await until(() => expect(hanging.progress().lagSeconds).toBeGreaterThan(0))
    hung.resolve()
    await handles('hanging', 100)
    await until(() => expect(hanging.progress()).toMatchObject({ caughtUp: true, lagEvents: 0, lagSeconds: 0 }))
  })

  test('may come later than others: what those were given before comes from the log', async () => {
    const { run, deliverAll, handles, faults, db, made } = world()
    const process = transport()
    run(process, 'first')
    await deliverAll(1, 20)
    await handles('first', 20)
    // The relay has sent one more, and cannot note it before the late one has looked.
    const relay = await db.pool.connect()
    await relay.query('begin; lock ops.relay_partition in exclusive mode')
    await made.deliver(21, { contact: 'contact 1' })
    await handles('first', 21)
    const late = run(process, 'late')
    await handles('late', 20)
    const progress = late.progress()
    await relay.query('commit')
    relay.release()
    expect(progress).toMatchObject({ caughtUp: false, lagEvents: null })
    await handles('late', 21)
    await until(() => expect(late.progress()).toMatchObject({ caughtUp: true, lagEvents: 0, lagSeconds: 0 }))
    await deliverAll(22, 40)
    for (const group of ['first', 'late']) await handles(group, 40)
    expect(faults).toEqual([])
  })

  test('keep the place of the slowest for the next process, and of one that stops before the others', async () => {
    const { run, deliverAll, handles, faults, stopAll, groupIds, offsets } = world()
    let isFailing = false
    const start = (process: Transport) => {
      run(process, 'well')
      const early = run(process, 'early')
      run(process, 'ill', { failing: () => isFailing })
      return early
    }
    const committed = async () => sumOf(await offsets((await groupIds())[0] ?? ''))
    const early = start(transport())
    await deliverAll(1, 20)
    await until(async () => expect(await committed()).toBe(20))
    await early.stop()
    isFailing = true
    await deliverAll(21, 60)
    await handles('well', 60)
    // This is longer than the time between two commits.
    await until(() => expect(faults.length).toBeGreaterThan(6))
    expect(await committed()).toBe(20)
    await stopAll()
    isFailing = false
    faults.length = 0
    start(transport())
    for (const group of ['well', 'early', 'ill']) await handles(group, 60)
    await until(async () => expect(await committed()).toBe(60))
    expect(faults).toEqual([])
  })

  test('of two versions at once do everything once', async () => {
    const { run, deliverAll, handles, groupIds, members } = world()
    const [old, next] = [transport('old'), transport('next')]
    for (const process of [old, next]) for (const group of ['a', 'b']) run(process, group, { maxBatch: 10 })
    await until(async () => expect(await members()).toBe(2))
    expect(await groupIds()).toHaveLength(2)
    for (let from = 1; from < 300; from += 30) {
      await deliverAll(from, from + 29)
      await handles('a', from + 29)
    }
    await handles('b', 300)
  })
})
