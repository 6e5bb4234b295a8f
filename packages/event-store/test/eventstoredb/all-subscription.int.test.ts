import { expect, test } from 'vitest'
import { allSubscription } from '../../src/eventstoredb/all-subscription.ts'
import { createConnection } from '../../src/eventstoredb/connection.ts'
import { createLogCheck } from '../../src/eventstoredb/log-check.ts'
import { READ_TIMES } from '../../src/eventstoredb/read-with-retries.ts'
import { createReader } from '../../src/eventstoredb/reader.ts'
import { createLastSeen } from '../../src/last-seen.ts'
import { type Batch, START } from '../../src/port.ts'
import { aFixture, anEvent, aStore, aStream } from './fixture.testing.ts'

/** A fifth of it, after one event, is longer than three appends take on a busy machine. */
const SLOW_MS = 40_000

const open = async ({ batchMs = 5 } = {}) => {
  const fixture = await aFixture()
  const connection = createConnection(fixture.connectionString)
  const done = new AbortController()
  const asking = { connection, lastSeen: createLastSeen({}), closed: done.signal, times: READ_TIMES }
  const check = createLogCheck(asking)
  const { head } = createReader({ ...asking, check })
  const subscribe = (after = START) => allSubscription({ connection, after, signal: done.signal, head, check, heartbeatMs: 20, batchMs })
  const close = async () => {
    done.abort()
    await connection.close()
  }
  return { fixture, store: aStore(fixture), subscribe, close }
}
/** The ids of the next events, batch by batch. */
const arriving = async (subscription: AsyncGenerator<Batch>): Promise<readonly string[]> => {
  for (;;) {
    const { events } = await next(subscription)
    if (events.length > 0) return events.map(({ id }) => id)
  }
}
const next = async (subscription: AsyncGenerator<Batch>): Promise<Batch> => (await subscription.next()).value!

test('an idle subscription yields empty batches at its position', async () => {
  const { store, subscribe, close } = await open()
  const written = await store.append(aStream(), 'any', [anEvent()])
  const subscription = subscribe()
  for (let heard = 0; heard < 1; ) heard += (await next(subscription)).events.length
  expect(await next(subscription)).toEqual({ events: [], to: written.position, caughtUp: true })
  expect(await next(subscription)).toEqual({ events: [], to: written.position, caughtUp: true })
  await close()
})

test('a stalled subscription yields nothing while the head is elsewhere', async () => {
  const { fixture, store, subscribe, close } = await open()
  await store.append(aStream(), 'any', [anEvent()])
  fixture.faults.stallSubscriptions = true
  const said = await Promise.race([next(subscribe()), new Promise((resolve) => setTimeout(resolve, 200, 'nothing'))])
  expect(said).toBe('nothing')
  await close()
})

test('a reader slower than the log slows the server, and misses nothing', async () => {
  const { fixture, store, subscribe, close } = await open()
  const stream = aStream()
  const large = 'x'.repeat(20_000)
  for (let n = 0; n < 100; n++)
    await store.append(
      stream,
      'any',
      Array.from({ length: 10 }, () => anEvent('Large', { large })),
    )
  const subscription = subscribe()
  const first = await next(subscription)
  await new Promise((resolve) => setTimeout(resolve, 200))
  const second = await next(subscription)
  const buffered = second.events.reduce((bytes, event) => bytes + event.data.length, 0)
  expect(buffered).toBeLessThan(4 * 1024 * 1024 + 2 * large.length)
  let seen = first.events.length + second.events.length
  while (seen < 1_000) seen += (await next(subscription)).events.length
  expect(fixture.log.stream(stream)).toHaveLength(seen)
  await close()
})

test('what is appended soon after a batch comes in one batch, in order', async () => {
  const { store, subscribe, close } = await open({ batchMs: SLOW_MS })
  const stream = aStream()
  const [first, ...later] = [anEvent(), anEvent(), anEvent(), anEvent()]
  const subscription = subscribe(await store.head())
  await store.append(stream, 'any', [first])
  expect(await arriving(subscription)).toEqual([first.id])
  const batch = arriving(subscription)
  for (const event of later) await store.append(stream, 'any', [event])
  expect(await batch).toEqual(later.map(({ id }) => id))
  await close()
})
