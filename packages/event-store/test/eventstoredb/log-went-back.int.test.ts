import { type EventStoreFixture, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { expect, onTestFinished, test } from 'vitest'
import { LogWentBack, Unavailable } from '../../src/errors.ts'
import { type Batch, type EventStore, type Position, START } from '../../src/port.ts'
import { aFixture, anEvent, aStore, aStream } from './fixture.testing.ts'

/** Another server on the port of one that is gone; without a log of its own it starts empty. */
const onThePortOf = async ({ port }: EventStoreFixture, log?: EventStoreFixture['log']): Promise<EventStoreFixture> => {
  const other = await startEventStoreFixture({ port, ...(log && { log }) })
  onTestFinished(() => other.close())
  return other
}

const events = (fixture: EventStoreFixture) => fixture.log.all.filter(({ type }) => !type.startsWith('$'))

/** What a subscription of the store says, from the end on, as it comes. */
const heard = (store: EventStore, from: Position | 'end' = 'end') => {
  const done = new AbortController()
  onTestFinished(() => done.abort())
  const batches: Batch[] = []
  void (async () => {
    for await (const batch of store.subscribe({ from, signal: done.signal })) batches.push(batch)
  })()
  return batches
}

/** Appends are given up; a read is answered, however late. */
const TIMES = { append: { attemptMs: 2_000, deadlineMs: 10_000 }, read: { silenceMs: 10_000, deadlineMs: 60_000 } }

/** A store that has three events in its log and follows it. */
const aFollowedLog = async () => {
  const fixture = await aFixture()
  const warnings: string[] = []
  const store = aStore(fixture, { times: TIMES, log: { warn: (_, message) => warnings.push(message) } })
  const stream = aStream()
  await store.append(stream, 'no_stream', [anEvent('First'), anEvent('Second'), anEvent('Third')])
  const batches = heard(store)
  await expect.poll(() => batches.length).toBeGreaterThan(1)
  return { fixture, store, stream, batches, warnings }
}

const expectNothingOf = async (store: EventStore, stream: string): Promise<void> => {
  await expect(store.append(aStream(), 'no_stream', [anEvent()])).rejects.toBeInstanceOf(Unavailable)
  await expect(store.append(stream, 2, [anEvent()])).rejects.toBeInstanceOf(Unavailable)
  for (const read of [() => store.readStream(stream), () => store.readAll('start', 10), store.head, store.confirm])
    await expect(read()).rejects.toBeInstanceOf(LogWentBack)
  await expect(store.tombstoneStream(stream, 'any')).rejects.toBeInstanceOf(Unavailable)
}

test('a log that was wiped under a store is read and written by it no more, and the process stays alive', async () => {
  const { fixture, store, stream, batches } = await aFollowedLog()
  await fixture.close()
  const wiped = await onThePortOf(fixture)
  await expectNothingOf(store, stream)
  await expect.poll(() => wiped.calls.subscriptions).toBeGreaterThan(0)
  // Even an empty batch would be wrong: it would say that the log has nothing new.
  const before = batches.length
  const other = aStore(wiped)
  await other.append(aStream(), 'no_stream', [anEvent('Foreign')])
  await expectNothingOf(store, stream)
  expect(events(wiped).map(({ type }) => type)).toEqual(['Foreign'])
  expect(batches.slice(before)).toEqual([])
})

test('a log of the same length with other events is another log', async () => {
  const { fixture, store, stream } = await aFollowedLog()
  await fixture.close()
  const other = await onThePortOf(fixture)
  for (const { type } of events(fixture)) other.log.commit(aStream(), [{ ...raw(type), id: crypto.randomUUID() }])
  expect(other.log.all.at(-1)?.position).toBe(fixture.log.all.at(-1)?.position)
  await expectNothingOf(store, stream)
})

test('a log that lost its end and grew past it is another log', async () => {
  const { fixture, store, stream, batches } = await aFollowedLog()
  const [kept] = events(fixture)
  await fixture.close()
  const restored = await onThePortOf(fixture)
  restored.log.commit(stream, [kept!])
  for (let n = 0; n < 20; n++) restored.log.commit(aStream(), [raw('Foreign')])
  const before = batches.length
  await expectNothingOf(store, stream)
  expect(events(restored)).toHaveLength(21)
  expect(batches.slice(before).flatMap(({ events: delivered }) => delivered)).toEqual([])
})

test('the store works on by itself once the log is again the one that it knows, and says both once', async () => {
  const { fixture, store, stream, batches, warnings } = await aFollowedLog()
  await fixture.close()
  const wiped = await onThePortOf(fixture)
  await expectNothingOf(store, stream)
  await wiped.close()
  await onThePortOf(fixture, fixture.log)
  await expect
    .poll(() =>
      store.append(stream, 2, [anEvent('Fourth')]).then(
        ({ revision }) => revision,
        () => 'away',
      ),
    )
    .toBe(3)
  await expect.poll(() => batches.flatMap(({ events: delivered }) => delivered.map(({ type }) => type))).toEqual(['Fourth'])
  expect(warnings.filter((message) => message.startsWith('the event log went back'))).toHaveLength(1)
  expect(warnings.filter((message) => message.includes('again the one that was seen'))).toHaveLength(1)
})

test('a log that ends before what the database has seen is refused from the first call on', async () => {
  const fixture = await aFixture()
  const [stream, writer] = [aStream(), aStore(fixture)]
  const { position } = await writer.append(stream, 'no_stream', [anEvent(), anEvent(), anEvent()])
  const ahead = { commit: position.commit + 1n, prepare: position.prepare + 1n }
  const store = aStore(fixture, { seen: { position: ahead, event: null } })
  const batches = heard(store, START)
  await expectNothingOf(store, stream)
  expect(batches).toEqual([])
  await writer.append(aStream(), 'no_stream', [anEvent('Newer')])
  await expect.poll(() => batches.flatMap(({ events: delivered }) => delivered).length).toBe(4)
})

test('a log that does not have the event that the database has seen is refused, however long it is', async () => {
  const fixture = await aFixture()
  const [stream, writer] = [aStream(), aStore(fixture)]
  const { position } = await writer.append(stream, 'no_stream', [anEvent(), anEvent(), anEvent()])
  const [first] = await writer.readStream(stream)
  const event = { position: first!.position, id: first!.id }
  await aStore(fixture, { seen: { position, event } }).confirm()
  await expectNothingOf(aStore(fixture, { seen: { position, event: { ...event, id: crypto.randomUUID() } } }), stream)
})

const raw = (type: string) => ({
  ...{ id: crypto.randomUUID(), type, contentType: 'application/json' },
  ...{ data: Buffer.from('{}'), metadata: Buffer.from('{}') },
})
