import { queryObjects } from 'node:v8'
import { expect, onTestFinished, test } from 'vitest'
import { allSubscription } from '../../src/eventstoredb/all-subscription.ts'
import { createConnection } from '../../src/eventstoredb/connection.ts'
import { createLogCheck } from '../../src/eventstoredb/log-check.ts'
import { READ_TIMES } from '../../src/eventstoredb/read-with-retries.ts'
import { createLastSeen } from '../../src/last-seen.ts'
import { START } from '../../src/port.ts'
import { aFixture } from './fixture.testing.ts'

/** Counts what a garbage collection leaves. */
const promises = (): number => queryObjects(Promise, { format: 'count' })

test('an idle subscription keeps nothing of its heartbeats', async () => {
  const fixture = await aFixture()
  const connection = createConnection(fixture.connectionString)
  const done = new AbortController()
  onTestFinished(async () => {
    done.abort()
    await connection.close()
  })
  const check = createLogCheck({ connection, lastSeen: createLastSeen({}), closed: done.signal, times: READ_TIMES })
  // The log ends with what the server wrote when it began, as it says itself.
  const { position } = fixture.log.all.at(-1)!
  const head = async () => ({ commit: position, prepare: position })
  const subscription = allSubscription({ connection, after: START, signal: done.signal, head, check, heartbeatMs: 1, batchMs: 5 })
  const beats = async (count: number) => {
    for (let n = 0; n < count; n++) await subscription.next()
  }
  await beats(50)
  const before = promises()
  await beats(500)
  expect(promises() - before).toBeLessThan(50)
})
