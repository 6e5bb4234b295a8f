import { until } from '@tidings/testing'
import { type EventStoreFixture, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { StreamDeleted, Unavailable } from '../../src/errors.ts'
import type { Batch, Position } from '../../src/port.ts'
import { aFixture, anEvent, aStore, aStream, ENDING, QUICK, typesOf } from './fixture.testing.ts'

const points = (node: EventStoreFixture) => ({ host: '127.0.0.1', port: node.port })

/** Two nodes with one log; `lead` moves the leadership, as an election does. */
const aCluster = async () => {
  const one = await aFixture()
  const other = await startEventStoreFixture({ log: one.log })
  onTestFinished(() => other.close())
  const lead = (leader: EventStoreFixture, follower: EventStoreFixture): void => {
    leader.faults.notLeader = undefined
    leader.faults.followers = [points(follower)]
    follower.faults.followers = []
    follower.faults.notLeader = points(leader)
    follower.failSubscriptions()
  }
  lead(one, other)
  const connectionString = `esdb://127.0.0.1:${one.port},127.0.0.1:${other.port}?tls=false&discoveryInterval=20`
  return { one, other, lead, connectionString }
}

describe('what goes through the log page by page', () => {
  const PAGE = 100
  const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `Event${from + n}`)

  /** A cluster with so many events, and all of them as a reader of pages gets them. */
  const filled = async (count: number, settings: Parameters<typeof aStore>[1] = {}) => {
    const cluster = await aCluster()
    const store = aStore(cluster.one, { connectionString: cluster.connectionString, ...settings })
    await store.append(
      aStream(),
      'no_stream',
      names(0, count).map((name) => anEvent(name)),
    )
    const everything = async (): Promise<readonly string[]> => {
      const types: string[] = []
      for (let after: Position | 'start' = 'start'; ; ) {
        const batch: Batch = await store.readAll(after, PAGE)
        types.push(...batch.events.map(({ type }) => type))
        after = batch.to
        if (batch.caughtUp) return types
      }
    }
    return { ...cluster, store, everything }
  }

  test('comes from a follower, and its end from the leader', async () => {
    // One that answers late would be left out.
    const { one, other, everything } = await filled(1_000, { times: { ...QUICK, read: { silenceMs: 120_000, deadlineMs: 240_000 } } })
    const before = one.calls.reads
    expect(await everything()).toEqual(names(0, 1_000))
    expect(other.calls.reads).toBeGreaterThanOrEqual(1_000 / PAGE)
    other.faults.behindBy = 250
    expect(await everything()).toEqual(names(0, 1_000))
    // A page of each walk, and a look whether the log is the one that was seen, each some records.
    expect(one.calls.reads).toBeGreaterThan(before)
  })

  test('is what the leader has, while the follower is behind, holds still, is gone or takes the lead', async () => {
    const { one, other, lead, store, everything } = await filled(300)
    const stream = aStream()
    other.faults.behindBy = 300
    expect(await everything()).toEqual(names(0, 300))
    other.faults.behindBy = 0
    lead(other, one)
    await store.append(stream, 'no_stream', [anEvent('Event300')])
    expect(await everything()).toEqual(names(0, 301))
    await one.stop()
    expect(await everything()).toEqual(names(0, 301))
    await one.start()
    lead(one, other)
    await store.append(stream, 0, [anEvent('Event301')])
    other.hold()
    expect(await everything()).toEqual(names(0, 302))
    other.release()
  })

  test('comes from the one server of an installation that has one', async () => {
    const fixture = await aFixture()
    const store = aStore(fixture)
    await store.append(aStream(), 'no_stream', [anEvent('Alone')])
    expect((await store.readAll('start', PAGE)).events.map(({ type }) => type)).toEqual(['Alone'])
  })
})

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
