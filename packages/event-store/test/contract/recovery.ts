import { describe, expect, test } from 'vitest'
import type { Batch } from '../../src/port.ts'
import type { Suite } from './harness.ts'
import { expectOnceInOrder, follow, idsOf, newEvent, newEvents, newStream, seenAll, write } from './helpers.ts'

/** Group F: following the log while what is underneath breaks. */
export function recoveryScenarios(suite: Suite): void {
  const { store, harness, capabilities } = suite
  describe('F subscribe', () => {
    test('a stopped subscription resumes behind its last batch', async () => {
      const from = await store().head()
      const events = newEvents(10)
      for (const event of events) await store().append(newStream(), 'any', [event])
      const batches: Batch[] = []
      const first = await follow(store(), {
        from,
        maxBatch: 4,
        until: (_, batch) => batch.events.length > 0,
        onBatch: (batch) => void batches.push(batch),
      })
      const rest = await follow(store(), { from: batches.at(-1)!.to, until: seenAll(idsOf(events.slice(first.length))) })
      expect(idsOf([...first, ...rest])).toEqual(idsOf(events))
    })

    if (capabilities.connectionLoss) survives(suite, 'lost connections', () => harness().loseConnections!())
    if (capabilities.restart) survives(suite, 'a restart of the server', () => harness().restart!())
    if (capabilities.leaderChange) survives(suite, 'a change of leader', () => harness().changeLeader!())
    if (capabilities.secondInstance) closing(suite)
  })
}

const survives = ({ store }: Suite, what: string, disturb: () => Promise<void>): void => {
  test(`${what} while writers run lose and repeat nothing`, async () => {
    const from = await store().head()
    let disturbed: Promise<void> | undefined
    const writing = write(store(), { writers: 6, each: 30 })
    const seen = await follow(store(), {
      from,
      maxBatch: 10,
      until: (events) => events.length >= 180,
      onBatch: () => {
        disturbed ??= disturb()
      },
    })
    await disturbed
    for (const stream of await writing) expectOnceInOrder(seen, stream, 30)
  })

  test(`${what} wake an idle subscription up for what comes after`, async () => {
    const event = newEvent()
    let confirmed = false
    const onBatch = async () => {
      if (confirmed) return
      confirmed = true
      await disturb()
      await store().append(newStream(), 'any', [event])
    }
    const seen = await follow(store(), { from: 'end', until: seenAll([event.id]), onBatch })
    expect(idsOf(seen)).toEqual([event.id])
  })
}

const closing = ({ harness }: Suite): void => {
  test('closing the store ends its subscriptions', async () => {
    const other = await harness().another!()
    const iterator = other.subscribe({ from: 'end', signal: new AbortController().signal })[Symbol.asyncIterator]()
    await iterator.next()
    await other.close()
    let last = await iterator.next()
    while (last.done !== true) last = await iterator.next()
    expect(last.done).toBe(true)
  })
}
