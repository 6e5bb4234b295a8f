/** C7, C8 and C9 of the client's defects, as `client-defects.int.test.ts` has the others. */
import { END, excludeSystemEvents, START } from '@eventstore/db-client'
import { expect, test } from 'vitest'
import { aClient, bare, unhandledDuring } from './bare-client.testing.ts'
import { aFixture, anEvent, aStore, aStream, typesOf } from './fixture.testing.ts'

test('C7: one that the server ends quietly is over without a word; here it is opened again behind the last event', async () => {
  const fixture = await aFixture()
  const [client, store] = [aClient(fixture), aStore(fixture)]
  const bareSubscription = (async () => {
    for await (const _ of client.subscribeToAll({ fromPosition: END }));
    return 'finished'
  })()
  const types = typesOf(store, 2, { from: 'end' })
  await expect.poll(() => fixture.subscriptions()).toBe(2)
  await store.append(aStream(), 'any', [anEvent('Before')])
  fixture.endSubscriptions()
  expect(await bareSubscription).toBe('finished')
  await store.append(aStream(), 'any', [anEvent('After')])
  expect(await types).toEqual(['Before', 'After'])
})

test('C8: a checkpoint callback that throws stalls one for ever; here there is no callback, and a reader’s error is its own', async () => {
  const fixture = await aFixture()
  const client = aClient(fixture)
  const types: string[] = []
  const checkpointReached = () => Promise.reject(new Error('the database is down'))
  const unhandled = await unhandledDuring(async (seen) => {
    await client.appendToStream(aStream(), bare('Before'))
    const filter = excludeSystemEvents({ checkpointInterval: 1, checkpointReached })
    client.subscribeToAll({ fromPosition: START, filter }).on('data', ({ event }) => types.push(event?.type ?? ''))
    await expect.poll(() => [types, seen]).toEqual([['Before'], [new Error('the database is down')]])
    await client.appendToStream(aStream(), bare('After'))
    const other: string[] = []
    client.subscribeToAll({ fromPosition: START }).on('data', ({ event }) => other.push(event?.type ?? ''))
    await expect.poll(() => other).toContain('After')
  })
  expect([types, unhandled]).toEqual([['Before'], [new Error('the database is down')]])

  const store = aStore(fixture)
  const failing = (async () => {
    for await (const { events } of store.subscribe({ from: 'start', signal: AbortSignal.timeout(240_000) }))
      if (events.length > 0) throw new Error('the handler failed')
  })()
  await expect(failing).rejects.toThrow('the handler failed')
  expect(await typesOf(store, 2)).toEqual(['Before', 'After'])
})

test('C9: one that fails stays failed; here it goes on over restarts, cut lines and stalls, each event once', async () => {
  const fixture = await aFixture()
  const [client, store] = [aClient(fixture), aStore(fixture)]
  const bareSubscription = (async () => {
    for await (const _ of client.subscribeToAll({ fromPosition: END }));
  })()
  const types = typesOf(store, 5, { from: 'end' })
  await expect.poll(() => fixture.subscriptions()).toBe(2)
  fixture.failSubscriptions()
  await expect(bareSubscription).rejects.toMatchObject({ type: 'unavailable' })
  const events = ['One', 'Two', 'Three', 'Four', 'Five'].map((type) => anEvent(type))
  const append = (n: number) => store.append(`thing-${n}`, 'no_stream', [events[n]!])
  await append(0)
  await fixture.stop()
  await fixture.start()
  await append(1)
  fixture.cut()
  await append(2)
  fixture.faults.stallSubscriptions = true
  fixture.endSubscriptions()
  await append(3)
  await expect.poll(() => fixture.subscriptions()).toBe(1)
  fixture.faults.stallSubscriptions = false
  await append(4)
  expect(await types).toEqual(['One', 'Two', 'Three', 'Four', 'Five'])
})
