import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createGroup } from '../../../src/checkpoint.ts'
import { kafkaTransport } from '../../../src/kafka/consume/kafka-consumer.ts'
import { assign, createMember, openMembership, report } from '../../../src/kafka/consume/member.ts'
import { handleFromLog } from '../../../src/kafka/consume/take-messages.ts'
import { takeLead } from '../../../src/kafka/relay/relay-lease.ts'
import { type Effects, effectsIn, GROUP } from '../../testing/effects.ts'
import { logOfDeliveries } from '../../testing/log-of-deliveries.ts'

const TYPES = ['MessageDelivered']
const START = { commit: -1n, prepare: -1n }
// Nothing listens there.
const KAFKA = { brokers: ['127.0.0.1:1'], prefix: 'lag', partitions: 1 }
const TOPIC = 'lag.events'

let db: TestDatabase
let effects: Effects
beforeAll(async () => {
  db = await testDatabase()
  effects = await effectsIn(db.pool)
})
afterAll(() => db.drop())
beforeEach(async () => {
  await effects.clear()
  await createGroup(db.pool, GROUP, START)
  await takeLead(db.pool, { topic: TOPIC, owner: '0192b1f0-0000-7000-8000-0000000000aa', types: TYPES, partitions: 1, head: START })
})

test('a consumer is behind while there is no broker, as long as the oldest event waits', async () => {
  const made = logOfDeliveries()
  await made.deliverAll(1, 3)
  const consumer = kafkaTransport(KAFKA)({ consumer: effects.noting(), log: made.log, pool: db.pool })
  await until(() => expect(consumer.progress().lagSeconds).toBeGreaterThan(0))
  expect(consumer.progress()).toMatchObject({ caughtUp: false, lagEvents: null })
  await consumer.stop()
})

test('a consumer that reads the log is behind by the age of what it handles, and not of the record that it was given', async () => {
  const made = logOfDeliveries()
  await made.deliverAll(1, 3)
  const membership = await openMembership(db.pool, { group: GROUP, topic: TOPIC, types: TYPES })
  if ('wait' in membership) throw new Error(membership.wait)
  const lags: number[] = []
  const consumer = effects.noting({
    handle: async () => {
      report(member)
      lags.push(member.tally.lagSeconds)
      return undefined
    },
  })
  const tally = { position: null, caughtUp: false, lagSeconds: 0, lagEvents: null, unknown: null }
  const reading = { consumer, log: made.log, pool: db.pool, signal: new AbortController().signal }
  const member = createMember({ reading, membership, tally, maxBatch: 100 })
  assign(member, [0])
  member.behind = false
  const delivered = Date.now()
  await until(() => expect(Date.now()).toBeGreaterThan(delivered))
  // The record is of a moment ago, by a clock that is ahead.
  member.feed.taken = [{ partition: 0, records: [], first: 3n, next: 4n, end: 4n, timestamp: String(Date.now() + 60_000) }]
  await handleFromLog(member.reading, membership, { targets: new Map([[0, await made.log.head()]]) })
  expect(lags[0]).toBeGreaterThan(0)
  member.feed.taken = []
  report(member)
  expect(tally).toMatchObject({ caughtUp: true, lagSeconds: 0 })
})
