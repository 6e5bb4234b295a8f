import { type EventStoreCluster, startEventStoreCluster } from '@tidings/testing/eventstoredb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Unavailable, WrongExpectedRevision } from '../../src/errors.ts'
import type { EventStore } from '../../src/port.ts'
import { anEvent, aStore, aStream, ENDING, typesOf } from './fixture.testing.ts'

const aCluster = async () => {
  const cluster = await startEventStoreCluster()
  onTestFinished(() => cluster.close())
  return cluster
}

/** Appends once over a connection of its own, and gives it up soon: whether it was written is unknown. */
const giveUp = async (cluster: EventStoreCluster, ...[stream, expected, events]: Parameters<EventStore['append']>): Promise<void> => {
  const hasty = aStore(cluster, { times: ENDING })
  await expect(hasty.append(stream, expected, events)).rejects.toBeInstanceOf(Unavailable)
}

const typesIn = async (store: EventStore, stream: string) => (await store.readStream(stream)).map(({ type }) => type)

describe('a leader that is deposed with a tail that no other node has', () => {
  test('had confirmed nothing of it: the next one stores it once, also when the first leads again', async () => {
    const cluster = await aCluster()
    const [store, stream] = [aStore(cluster), aStream()]
    await store.append(stream, 'no_stream', [anEvent('Confirmed')])
    const seen = typesOf(store, 3)
    const deposed = cluster.cutOffLeader()
    const unconfirmed = store.append(stream, 0, [anEvent('Unconfirmed')])
    await expect.poll(() => deposed.tail()).toBe(1)
    expect(await typesIn(store, stream)).toEqual(['Confirmed'])
    cluster.depose()
    expect((await unconfirmed).revision).toBe(1)
    expect(await cluster.reunite()).toBe(true)
    await cluster.startAgain()
    cluster.elect(deposed)
    expect((await store.append(stream, 1, [anEvent('Later')])).revision).toBe(2)
    expect(await typesIn(store, stream)).toEqual(['Confirmed', 'Unconfirmed', 'Later'])
    expect(await seen).toEqual(['Confirmed', 'Unconfirmed', 'Later'])
  })

  test('leaves out what was given up, until it is repeated; then it is there once, and is followed once', async () => {
    const cluster = await aCluster()
    const [store, stream, event] = [aStore(cluster), aStream(), anEvent('GivenUp')]
    const seen = typesOf(store, 3)
    await store.append(aStream(), 'no_stream', [anEvent('Before')])
    cluster.cutOffLeader()
    await giveUp(cluster, stream, 'no_stream', [event])
    cluster.depose()
    await cluster.reunite()
    await cluster.startAgain()
    await store.append(aStream(), 'no_stream', [anEvent('Between')])
    expect(await typesIn(store, stream)).toEqual([])
    expect((await store.append(stream, 'no_stream', [event])).revision).toBe(0)
    expect((await store.append(stream, 'no_stream', [event])).revision).toBe(0)
    expect(await typesIn(store, stream)).toEqual(['GivenUp'])
    expect(await seen).toEqual(['Before', 'Between', 'GivenUp'])
  })

  test('refuses what another has overtaken meanwhile, and it is nowhere', async () => {
    const cluster = await aCluster()
    const [store, stream] = [aStore(cluster), aStream()]
    await store.append(stream, 'no_stream', [anEvent('First')])
    const deposed = cluster.cutOffLeader()
    const overtaken = store.append(stream, 0, [anEvent('Overtaken')]).catch((error: unknown) => error)
    await expect.poll(() => deposed.tail()).toBe(1)
    cluster.depose()
    await aStore(cluster.leader()).append(stream, 0, [anEvent('Overtaking')])
    expect(await overtaken).toBeInstanceOf(WrongExpectedRevision)
    await cluster.reunite()
    await cluster.startAgain()
    expect(await typesIn(store, stream)).toEqual(['First', 'Overtaking'])
  })
})

test('without a majority reads go on and writes are Unavailable; what the leader kept is there once when it is back', async () => {
  const cluster = await aCluster()
  const [store, stream, event] = [aStore(cluster), aStream(), anEvent('Kept')]
  await store.append(stream, 'no_stream', [anEvent('Before')])
  const seen = typesOf(store, 3)
  await cluster.loseMajority()
  await giveUp(cluster, stream, 0, [event])
  expect(await typesIn(store, stream)).toEqual(['Before'])
  expect((await store.readAll('start', 100)).events.map(({ type }) => type)).toEqual(['Before'])
  await cluster.regainMajority()
  expect((await store.append(stream, 0, [event])).revision).toBe(1)
  await store.append(stream, 1, [anEvent('After')])
  expect(await typesIn(store, stream)).toEqual(['Before', 'Kept', 'After'])
  expect(await seen).toEqual(['Before', 'Kept', 'After'])
})
