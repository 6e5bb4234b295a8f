import { until } from '@tidings/testing'
import { expect, test } from 'vitest'
import { InvalidAppend, Unavailable } from '../../src/errors.ts'
import { aFixture, anEvent, aStore, aStream, ENDING, typesOf } from './fixture.testing.ts'

test('an append whose connection is cut after it was stored is stored once, and answered', async () => {
  const fixture = await aFixture()
  const store = aStore(fixture)
  const stream = aStream()
  await store.append(stream, 'no_stream', [anEvent()])
  fixture.faults.dropAfterAppend = true
  const cut = store.append(stream, 0, [anEvent('Second'), anEvent('Third')])
  await expect.poll(() => fixture.log.stream(stream).length).toBe(3)
  fixture.faults.dropAfterAppend = false
  expect((await cut).revision).toBe(2)
  expect((await store.readStream(stream)).map((event) => event.type)).toEqual(['ThingHappened', 'Second', 'Third'])
})

test('an append that is never answered is Unavailable at its deadline, and the same append later is a duplicate', async () => {
  const fixture = await aFixture()
  const store = aStore(fixture, { times: ENDING })
  const [stream, event] = [aStream(), anEvent()]
  fixture.faults.swallowAnswers = true
  await expect(store.append(stream, 'no_stream', [event])).rejects.toBeInstanceOf(Unavailable)
  fixture.faults.swallowAnswers = false
  // Its deadlines are as short as a process may stand still.
  await until(() => store.head())
  expect(await until(() => store.append(stream, 'no_stream', [event]))).toMatchObject({ revision: 0 })
  expect(await until(() => store.readStream(stream))).toHaveLength(1)
})

test('a busy server is asked again until it has room', async () => {
  const fixture = await aFixture()
  const reasons: unknown[] = []
  const store = aStore(fixture, { log: { warn: (fields) => reasons.push(fields) } })
  fixture.faults.serverBusy = true
  const append = store.append(aStream(), 'any', [anEvent()])
  await expect.poll(() => fixture.calls.batchAppends).toBeGreaterThan(2)
  fixture.faults.serverBusy = false
  expect((await append).revision).toBe(0)
  expect(reasons).toEqual([{ reason: 'EventStoreDB answered "Server Is Busy"', times: 1 }])
})

test('a server whose clock is an hour ahead takes appends all the same', async () => {
  const fixture = await aFixture()
  fixture.faults.clockAheadMs = 3_600_000
  expect((await aStore(fixture).append(aStream(), 'any', [anEvent()])).revision).toBe(0)
})

test('a server that is down makes one clear error, and the store works again when it is back', async () => {
  const fixture = await aFixture()
  const store = aStore(fixture, { times: ENDING })
  await fixture.stop()
  await expect(store.append(aStream(), 'any', [anEvent()])).rejects.toBeInstanceOf(Unavailable)
  await expect(store.readStream(aStream())).rejects.toBeInstanceOf(Unavailable)
  await fixture.start()
  const [stream, event] = [aStream(), anEvent()]
  expect((await until(() => store.append(stream, 'any', [event]))).revision).toBe(0)
})

test('texts are stored byte for byte, as JSON in the eyes of the server', async () => {
  const fixture = await aFixture()
  const store = aStore(fixture)
  const [stream, data] = [aStream(), '{ "b":1.0, "a":"ü€😀", "b":2 }']
  await store.append(stream, 'no_stream', [{ ...anEvent(), data, meta: '' }])
  expect(await store.readStream(stream)).toMatchObject([{ data, meta: '' }])
  expect(fixture.log.stream(stream)[0]?.contentType).toBe('application/json')
})

test('all subscriptions of a process are one on the wire, and the server’s own events only move their checkpoints', async () => {
  const fixture = await aFixture()
  const store = aStore(fixture)
  const stream = aStream()
  const subscribed = [1, 2, 3].map(() => typesOf(store, 2, { from: 'end' }))
  await expect.poll(() => fixture.subscriptions()).toBe(1)
  await store.append(stream, 'no_stream', [anEvent('First')])
  await store.setStreamLimits(stream, { maxCount: 10 })
  const last = await store.append(stream, 0, [anEvent('Second')])
  expect(await Promise.all(subscribed)).toEqual([1, 2, 3].map(() => ['First', 'Second']))
  expect(fixture.subscriptions()).toBe(1)
  expect(fixture.log.all.slice(1).map((event) => event.type)).toEqual(['First', '$metadata', 'Second'])
  await store.setStreamLimits(stream, { maxCount: 5 })
  expect((await store.readAll(last.position, 10)).to).toEqual(await store.head())
})

test('limits keep what others wrote into the metadata, and a soft-deleted stream stays hidden under new ones', async () => {
  const fixture = await aFixture()
  const store = aStore(fixture)
  const stream = aStream()
  await store.append(stream, 'no_stream', [anEvent('A'), anEvent('B'), anEvent('C')])
  await store.setStreamLimits(stream, { maxCount: 2 })
  await store.setStreamLimits(stream, { maxAgeSeconds: 3_600 })
  expect((await store.readStream(stream)).map((event) => event.type)).toEqual(['B', 'C'])
  await store.deleteStream(stream, 'any')
  await store.setStreamLimits(stream, { maxCount: 3 })
  expect(await store.readStream(stream)).toEqual([])
  await store.append(stream, 'any', [anEvent('D')])
  expect((await store.readStream(stream)).map((event) => [event.type, event.revision])).toEqual([['D', 3]])
})

test('an append that fails the whole call as invalid is refused alone; those beside it are stored once', async () => {
  const fixture = await aFixture()
  const store = aStore(fixture)
  await store.append(aStream(), 'any', [anEvent()])
  const [culprit, streams] = [aStream(), Array.from({ length: 20 }, aStream)]
  fixture.faults.invalidStream = culprit
  // The first of them are in the same call before it, the others behind it.
  const append = (stream: string) => store.append(stream, 'no_stream', [anEvent()])
  const before = streams.slice(0, 10).map(append)
  const refused = expect(append(culprit)).rejects.toThrow(InvalidAppend)
  const behind = streams.slice(10).map(append)
  await refused
  expect((await Promise.all([...before, ...behind])).map(({ revision }) => revision)).toEqual(streams.map(() => 0))
  expect(streams.map((stream) => fixture.log.stream(stream).length)).toEqual(streams.map(() => 1))
  expect(fixture.log.stream(culprit)).toEqual([])
  await append(aStream())
})

test('an append that is too large for a message of the server is refused alone; those beside it are stored once', async () => {
  const fixture = await aFixture({ maxMessageBytes: 64 * 1024 })
  const store = aStore(fixture)
  await store.append(aStream(), 'any', [anEvent()])
  const streams = Array.from({ length: 20 }, aStream)
  const append = (stream: string) => store.append(stream, 'no_stream', [anEvent()])
  const before = streams.slice(0, 10).map(append)
  const refused = expect(store.append(aStream(), 'no_stream', [anEvent('A', 'x'.repeat(100_000))])).rejects.toThrow(
    new InvalidAppend('the append is larger than EventStoreDB takes (Received message larger than max (100191 vs 65536))'),
  )
  const behind = streams.slice(10).map(append)
  await refused
  expect((await Promise.all([...before, ...behind])).map(({ revision }) => revision)).toEqual(streams.map(() => 0))
  expect(streams.map((stream) => fixture.log.stream(stream).length)).toEqual(streams.map(() => 1))
})
