/**
 * Thirteen defects of @eventstore/db-client 6.2.1, each shown on the client as it is and then on this adapter. A test that starts to
 * fail in its first half means that the client has been mended: the defence can go.
 */
import { ANY, NO_STREAM } from '@eventstore/db-client'
import { until } from '@tidings/testing'
import { startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { expect, onTestFinished, test } from 'vitest'
import { InvalidAppend, Unavailable } from '../../src/errors.ts'
import { aClient, bare, nextTicks, state, unhandledDuring } from './bare-client.testing.ts'
import { aFixture, anEvent, aStore, aStream, ENDING } from './fixture.testing.ts'

test('C1: an error on one append stream rejects what every client of the process has in flight; here only its own is asked again', async () => {
  const [ill, well] = [await aFixture(), await aFixture()]
  const arrived = (count: number) => expect.poll(() => [ill, well].map((fixture) => fixture.calls.batchAppends)).toEqual([count, count])
  ill.faults.swallowAppends = true
  well.faults.swallowAppends = true
  const lost = aClient(ill).appendToStream(aStream(), bare())
  const dragged = aClient(well).appendToStream(aStream(), bare())
  await arrived(1)
  ill.cut()
  await expect(lost).rejects.toMatchObject({ type: 'unavailable' })
  await expect(dragged).rejects.toMatchObject({ type: 'unavailable' })

  const reasons: unknown[] = []
  const other = aStore(well, { log: { warn: (fields) => reasons.push(fields) } }).append(aStream(), 'any', [anEvent()])
  const own = aStore(ill).append(aStream(), 'any', [anEvent()])
  await arrived(2)
  ill.cut()
  ill.faults.swallowAppends = false
  expect((await own).revision).toBe(0)
  expect(reasons).toEqual([])
  well.faults.swallowAppends = false
  expect((await other).revision).toBe(0)
})

test('C2: an answer to an append that had ended is an unhandled rejection; here it is logged and dropped', async () => {
  const fixture = await aFixture()
  fixture.faults.unknownCorrelation = true
  const client = aClient(fixture)
  const unhandled = await unhandledDuring(async (seen) => {
    void client.appendToStream(aStream(), bare()).catch(() => undefined)
    await expect.poll(() => seen.length).toBe(1)
  })
  expect(unhandled).toEqual([expect.any(TypeError)])

  const warnings: string[] = []
  const store = aStore(fixture, { log: { warn: (_, message) => warnings.push(message) } })
  const quiet = await unhandledDuring(async () => {
    for (const revision of [0, 1, 2]) expect((await store.append(`thing-${fixture.port}`, 'any', [anEvent()])).revision).toBe(revision)
  })
  expect(quiet).toEqual([])
  expect(new Set(warnings)).toEqual(new Set(['EventStoreDB answered appends that had ended']))
})

test('C3: an append that is never answered stays pending past its deadline; here a timer of our own ends it', async () => {
  const fixture = await aFixture()
  fixture.faults.swallowAppends = true
  const endless = aClient(fixture, '&defaultDeadline=100').appendToStream(aStream(), bare())
  void endless.catch(() => undefined)
  await expect(aStore(fixture, { times: ENDING }).append(aStream(), 'any', [anEvent()])).rejects.toThrow(
    /did not answer within .* is unknown/,
  )
  expect(await state(endless)).toBe('pending')
})

test('C4: with throwOnAppendFailure=false a wrong revision is answered with 1 whatever it is; here the setting changes nothing', async () => {
  const fixture = await aFixture()
  const stream = aStream()
  const client = aClient(fixture, '&throwOnAppendFailure=false')
  for (let revision = 0; revision <= 4; revision++) await client.appendToStream(stream, bare())
  expect(await client.appendToStream(stream, bare(), { expectedRevision: NO_STREAM })).toMatchObject({
    success: false,
    nextExpectedRevision: 1n,
  })

  const store = aStore(fixture, { connectionString: `${fixture.connectionString}&throwOnAppendFailure=false` })
  await expect(store.append(stream, 'no_stream', [anEvent()])).rejects.toMatchObject({ name: 'WrongExpectedRevision', current: 4 })
})

test('C5: a connection lost while writes back up leaves an unhandled rejection for each; here none, and every append lands once', async () => {
  const fixture = await aFixture()
  const client = aClient(fixture)
  await client.appendToStream(aStream(), bare())
  const large = { text: 'x'.repeat(60_000) }
  await unhandledDuring(async (unhandled) => {
    fixture.hold()
    for (let n = 0; n < 64; n++) void client.appendToStream(aStream(), bare('Large', large)).catch(() => undefined)
    await nextTicks(50)
    fixture.cut()
    await expect.poll(() => unhandled.length).toBeGreaterThan(0)
    fixture.release()
  })

  const store = aStore(fixture)
  await store.append(aStream(), 'any', [anEvent()])
  const streams = Array.from({ length: 300 }, aStream)
  const quiet = await unhandledDuring(async () => {
    fixture.hold()
    const appends = streams.map((stream) => store.append(stream, 'no_stream', [anEvent('Large', large)]))
    await nextTicks(50)
    fixture.cut()
    fixture.release()
    for (const { revision } of await Promise.all(appends)) expect(revision).toBe(0)
  })
  expect(quiet).toEqual([])
  expect(streams.map((stream) => fixture.log.stream(stream).length)).toEqual(streams.map(() => 1))
})

test('C6: an error without details leaves the append pending; here it is an unknown outcome like any other', async () => {
  const fixture = await aFixture()
  fixture.faults.errorWithoutDetails = true
  const client = aClient(fixture)
  const promises: Promise<unknown>[] = []
  const unhandled = await unhandledDuring(async (seen) => {
    promises.push(client.appendToStream(aStream(), bare()))
    await expect.poll(() => seen.length).toBe(1)
  })
  expect(unhandled).toEqual([expect.any(TypeError)])
  expect(await state(promises[0]!)).toBe('pending')

  const append = aStore(fixture).append(aStream(), 'any', [anEvent()])
  expect(await state(append)).toBe('pending')
  fixture.faults.errorWithoutDetails = false
  expect((await append).revision).toBe(0)
})

test('C10: a server that is down is a raw gRPC error; here it is Unavailable, and the next server on that port is found', async () => {
  const fixture = await startEventStoreFixture()
  await fixture.stop()
  onTestFinished(() => fixture.close())
  const failed = await aClient(fixture)
    .appendToStream(aStream(), bare())
    .catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 14 })
  expect(failed).not.toHaveProperty('type')

  const store = aStore(fixture, { times: ENDING })
  await expect(store.append(aStream(), 'any', [anEvent()])).rejects.toBeInstanceOf(Unavailable)
  await fixture.start()
  const [stream, event] = [aStream(), anEvent()]
  expect((await until(() => store.append(stream, 'any', [event]))).revision).toBe(0)
})

test('C11: credentials on a call take the slower append of one call each; here they come from the connection string', async () => {
  const fixture = await aFixture()
  await aClient(fixture).appendToStream(aStream(), bare(), { credentials: { username: 'admin', password: 'changeit' } })
  expect(fixture.calls).toMatchObject({ batchAppends: 0, unaryAppends: 1 })

  const connectionString = fixture.connectionString.replace('esdb://', 'esdb://admin:changeit@')
  await aStore(fixture, { connectionString }).append(aStream(), 'any', [anEvent()])
  expect(fixture.calls).toMatchObject({ batchAppends: 1, unaryAppends: 1 })
})

test('C12: the revision of stream metadata is really a position; here limits are set with the revision of their event', async () => {
  const fixture = await aFixture()
  const [client, store] = [aClient(fixture), aStore(fixture)]
  const stream = aStream()
  await client.appendToStream(stream, bare(), { expectedRevision: ANY })
  await client.setStreamMetadata(stream, { maxCount: 5, custom: 'kept' })
  const { metastreamRevision } = await client.getStreamMetadata(stream)
  expect(metastreamRevision).toBe(fixture.log.stream(`$$${stream}`)[0]?.position)
  expect(metastreamRevision).not.toBe(0n)

  await store.setStreamLimits(stream, { truncateBefore: 1 })
  expect((await client.getStreamMetadata(stream)).metadata).toEqual({ maxCount: 5, custom: 'kept', truncateBefore: 1 })
  expect(fixture.log.stream(`$$${stream}`).map((event) => event.revision)).toEqual([0, 1])
})

test('C13: expected revision -1 fails with a cryptic error; here with the name of what was meant', async () => {
  const fixture = await aFixture()
  const cryptic = await aClient(fixture)
    .appendToStream(aStream(), bare(), { expectedRevision: -1n })
    .catch((error: unknown) => error)
  expect(String(cryptic)).not.toContain('no_stream')

  const refused = await aStore(fixture)
    .append(aStream(), -1, [anEvent()])
    .catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(InvalidAppend)
  expect(String(refused)).toContain("use 'no_stream'")
})
