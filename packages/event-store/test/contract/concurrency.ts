import { describe, expect, test } from 'vitest'
import { comparePositions } from '../../src/port.ts'
import type { Suite } from './harness.ts'
import { expectOnceInOrder, follow, grow, newEvent, newEvents, newStream, seenAll, write } from './helpers.ts'

/** Group D: several writers, readers and instances. */
export function concurrencyScenarios(suite: Suite): void {
  const { store, capabilities } = suite
  describe('D concurrency', () => {
    test('of many writers at one revision exactly one wins', async () => {
      const stream = newStream()
      await grow(store(), stream, 1)
      const settled = await Promise.allSettled(newEvents(20).map((event) => store().append(stream, 0, [event])))
      expect(settled.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
      const losers = settled.filter((result) => result.status === 'rejected')
      expect(losers.every((result) => result.reason.name === 'WrongExpectedRevision')).toBe(true)
      expect(await store().readStream(stream)).toHaveLength(2)
    })

    test('writers who expect nothing all land, with dense revisions', async () => {
      const stream = newStream()
      const answers = await Promise.all(newEvents(40).map((event) => store().append(stream, 'any', [event])))
      expect(answers.map((answer) => answer.revision).sort((a, b) => a - b)).toEqual(answers.map((_, n) => n))
    })

    test('writers of many streams all land', async () => {
      const streams = await write(store(), { writers: 30, each: 5 })
      const read = await Promise.all(streams.map((stream) => store().readStream(stream)))
      expect(read.map((events) => events.length)).toEqual(streams.map(() => 5))
    })

    test('a reader that starts while writers run sees every event once and in order', async () => {
      const from = await store().head()
      const writing = write(store(), { writers: 8, each: 25 })
      const seen = await follow(store(), { from, maxBatch: 7, until: (events) => events.length === 200 })
      for (const stream of await writing) expectOnceInOrder(seen, stream, 25)
      expect(seen.every((event, n) => n === 0 || comparePositions(seen[n - 1]!.position, event.position) < 0)).toBe(true)
    })

    if (capabilities.densePositions) density(suite)
    if (capabilities.secondInstance) twoInstances(suite)
    if (capabilities.openTransactions) openTransaction(suite)
  })
}

const density = ({ store }: Suite): void => {
  test('refused appends leave no hole in the positions', async () => {
    const before = await store().head()
    const stream = newStream()
    await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) => store().append(n % 3 === 0 ? newStream() : stream, 'no_stream', [newEvent()])),
    )
    const { events } = await store().readAll(before, 1_000)
    expect(events.length).toBe(21)
    expect(events.map((event) => event.position.commit)).toEqual(
      events.map((_, n) => (before.commit < 0n ? 0n : before.commit) + BigInt(n + 1)),
    )
  })
}

const twoInstances = ({ store, harness }: Suite): void => {
  test('two instances see each other’s appends, in one order', async () => {
    const other = await harness().another!()
    const from = await store().head()
    const writing = Promise.all([write(store(), { writers: 4, each: 20 }), write(other, { writers: 4, each: 20 })])
    const until = (events: readonly unknown[]) => events.length === 160
    const [here, there] = await Promise.all([follow(store(), { from, until }), follow(other, { from, until })])
    for (const stream of (await writing).flat()) expectOnceInOrder(here, stream, 20)
    expect(there).toEqual(here)
    await other.close()
  })

  test('of writers in two instances at one revision exactly one wins', async () => {
    const other = await harness().another!()
    const stream = newStream()
    const settled = await Promise.allSettled(
      newEvents(20).map((event, n) => (n % 2 === 0 ? store() : other).append(stream, 'no_stream', [event])),
    )
    expect(settled.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    await other.close()
  })
}

const openTransaction = ({ store, harness }: Suite): void => {
  test('an unrelated open write transaction stalls no reader', async () => {
    const end = await harness().openWriteTransaction!()
    const from = await store().head()
    const events = newEvents(5)
    for (const event of events) await store().append(newStream(), 'no_stream', [event])
    const seen = await follow(store(), { from, until: seenAll(events.map((event) => event.id)) })
    expect(seen).toHaveLength(5)
    await end()
  })
}
