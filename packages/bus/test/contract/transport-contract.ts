import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import type { ConsumerOptions, RunningConsumer } from '../../src/port.ts'
import { type Effects, effectsIn } from '../testing/effects.ts'
import { logOfDeliveries } from '../testing/log-of-deliveries.ts'
import { broken } from './broken.ts'
import { delivery } from './delivery.ts'
import { fencing } from './fencing.ts'
import type { TransportHarness, World } from './harness.ts'
import { newer } from './newer.ts'

/** What a consumer may rely on, whichever way its events come. Every transport of `packages/bus` passes it. */
export function transportContract(harness: TransportHarness): void {
  let db: TestDatabase
  let effects: Effects
  let world: World
  let running: RunningConsumer[] = []
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
  })
  afterAll(() => db.drop())
  beforeEach(async () => {
    await effects.clear()
    const made = logOfDeliveries()
    const opened = await harness.open(db, made)
    const run = (options: ConsumerOptions): RunningConsumer => {
      const started = opened.transport(options)
      running.push(started)
      return started
    }
    world = { ...opened, db, made, effects, run }
  })
  afterEach(async () => {
    await Promise.all(running.map((consumer) => consumer.stop()))
    running = []
    await world.close()
    await world.made.log.close()
  })
  describe(`consumers of ${harness.name}`, () => {
    delivery(() => world)
    fencing(() => world)
    broken(() => world)
    newer(() => world)
  })
}
