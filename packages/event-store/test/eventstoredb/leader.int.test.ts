import { until } from '@tidings/testing'
import { type EventStoreFixture, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { StreamDeleted, Unavailable } from '../../src/errors.ts'
import { aFixture, anEvent, aStore, aStream, ENDING, typesOf } from './fixture.testing.ts'

const points = (node: EventStoreFixture) => ({ host: '127.0.0.1', port: node.port })

/** Two nodes with one log; `lead` moves the leadership, as an election does. */
const aCluster = async () => {
  const one = await aFixture()
  const other = await startEventStoreFixture({ log: one.log })
  onTestFinished(() => other.close())
  const lead = (leader: EventStoreFixture, follower: EventStoreFixture): void => {
    leader.faults.notLeader = undefined
    follower.faults.notLeader = points(leader)
    follower.failSubscriptions()
  }
  lead(one, other)
  const connectionString = `esdb://127.0.0.1:${one.port},127.0.0.1:${other.port}?tls=false&discoveryInterval=20`
  return { one, other, lead, connectionString }
}

describe('on a cluster', () => {
  test('a follower that knows the leader sends appends and reads there, though it would have answered', async () => {
    const [stale, leader] = [await aFixture(), await aFixture()]
    const stream = aStream()
    await aStore(leader).append(stream, 'no_stream', [anEvent('Newest')])
    stale.faults.notLeader = points(leader)
    expect((await aStore(stale).readStream(stream)).map((event) => event.type)).toEqual(['Newest'])
    expect(await aStore(stale).head()).toEqual(await aStore(leader).head())
    expect(await typesOf(aStore(stale), 1)).toEqual(['Newest'])
    expect((await aStore(stale).append(stream, 0, [anEvent()])).revision).toBe(1)
    expect(stale.log.stream(stream)).toHaveLength(0)
  })

  test('what follows and what appends move with the leader, as often as it changes, and lose and repeat nothing', async () => {
    const { one, other, lead, connectionString } = await aCluster()
    const store = aStore(one, { connectionString })
    const types = typesOf(store, 12, { from: 'end' })
    await expect.poll(() => one.subscriptions() + other.subscriptions()).toBe(1)
    for (let n = 0; n < 12; n++) {
      const [leader, follower] = n % 2 === 0 ? [one, other] : [other, one]
      lead(leader, follower)
      await store.append(aStream(), 'no_stream', [anEvent(`Event${n}`)])
    }
    expect(await types).toEqual(Array.from({ length: 12 }, (_, n) => `Event${n}`))
  })

  test('a node that was cut off and knows no leader is left for one that does', async () => {
    const { one, other, lead, connectionString } = await aCluster()
    const store = aStore(one, { connectionString })
    const stream = aStream()
    await store.append(stream, 'no_stream', [anEvent()])
    lead(other, one)
    one.faults.notLeader = undefined
    one.faults.noLeader = true
    expect(await store.readStream(stream)).toHaveLength(1)
    expect((await store.append(stream, 0, [anEvent()])).revision).toBe(1)
  })

  test('without any leader a write is Unavailable and unwritten, and works once there is one again', async () => {
    const { one, other, lead, connectionString } = await aCluster()
    const store = aStore(one, { connectionString: `${connectionString}&maxDiscoverAttempts=2`, times: ENDING })
    for (const node of [one, other]) {
      node.faults.notLeader = undefined
      node.faults.noLeader = true
    }
    const [stream, event] = [aStream(), anEvent()]
    await expect(store.append(stream, 'no_stream', [event])).rejects.toBeInstanceOf(Unavailable)
    expect(one.log.stream(stream)).toHaveLength(0)
    for (const node of [one, other]) node.faults.noLeader = false
    lead(other, one)
    expect((await until(() => store.append(stream, 'no_stream', [event]))).revision).toBe(0)
  })

  test('a deletion that met a follower is Unavailable, was not done, and goes to the leader the next time', async () => {
    const { one, other, lead, connectionString } = await aCluster()
    const store = aStore(one, { connectionString })
    const stream = aStream()
    await store.append(stream, 'no_stream', [anEvent()])
    lead(other, one)
    await expect(store.tombstoneStream(stream, 0)).rejects.toBeInstanceOf(Unavailable)
    await store.tombstoneStream(stream, 0)
    await expect(store.readStream(stream)).rejects.toBeInstanceOf(StreamDeleted)
  })
})
