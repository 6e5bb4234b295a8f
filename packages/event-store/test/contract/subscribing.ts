import { describe, expect, test } from 'vitest'
import { type Batch, comparePositions, type Position } from '../../src/port.ts'
import type { Suite } from './harness.ts'
import { expectOnceInOrder, follow, grow, idsOf, newEvent, newEvents, newStream, seenAll, write } from './helpers.ts'
import { recoveryScenarios } from './recovery.ts'

/** Group F: following the log. */
export function subscriptionScenarios(suite: Suite): void {
  starts(suite)
  going(suite)
  ending(suite)
  recoveryScenarios(suite)
}

const starts = ({ store }: Suite): void => {
  describe('F subscribe', () => {
    test('from the start everything is delivered', async () => {
      const stream = newStream()
      const ids = idsOf(await grow(store(), stream, 3))
      const seen = await follow(store(), { from: 'start', until: seenAll(ids) })
      expect(comparePositions(seen[0]!.position, (await store().readAll('start', 1)).events[0]!.position)).toBe(0)
      expectOnceInOrder(seen, stream, 3)
    })

    test('a position is exclusive', async () => {
      const stream = newStream()
      const events = newEvents(3)
      const { position } = await store().append(stream, 'no_stream', [events[0]!])
      await store().append(stream, 0, events.slice(1))
      const seen = await follow(store(), { from: position, until: seenAll(idsOf(events.slice(1))) })
      expect(idsOf(seen).slice(0, 2)).toEqual(idsOf(events.slice(1)))
    })

    test('from the end a first batch without events confirms the place, and everything after it is delivered', async () => {
      await store().append(newStream(), 'any', [newEvent()])
      const event = newEvent()
      const batches: Batch[] = []
      const onBatch = async (batch: Batch) => {
        batches.push(batch)
        if (batches.length === 1) await store().append(newStream(), 'any', [event])
      }
      const seen = await follow(store(), { from: 'end', until: seenAll([event.id]), onBatch })
      expect(batches[0]).toMatchObject({ events: [], caughtUp: true })
      expect(idsOf(seen)).toEqual([event.id])
    })
  })
}

const going = ({ store }: Suite): void => {
  describe('F subscribe', () => {
    test('catching up goes over into following without loss or repetition while writers run', async () => {
      const from = await store().head()
      const before = await write(store(), { writers: 4, each: 30 })
      const writing = write(store(), { writers: 4, each: 30 })
      const seen = await follow(store(), { from, maxBatch: 10, until: (events) => events.length === 240 })
      for (const stream of [...before, ...(await writing)]) expectOnceInOrder(seen, stream, 30)
    })

    test('a consumer slower than its producers gets everything, from the log where the window has left it', async () => {
      const from = await store().head()
      const writing = write(store(), { writers: 10, each: 40 })
      const slow = async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      const seen = await follow(store(), { from, maxBatch: 9, until: (events) => events.length === 400, onBatch: slow })
      for (const stream of await writing) expectOnceInOrder(seen, stream, 40)
    })

    test('no batch exceeds its bound, places never go back and lie at or behind the last event', async () => {
      const from = await store().head()
      const places: Position[] = [from]
      const writing = write(store(), { writers: 5, each: 20 })
      const onBatch = ({ events, to }: Batch) => {
        expect(events.length).toBeLessThanOrEqual(6)
        expect(comparePositions(places.at(-1)!, to)).toBeLessThanOrEqual(0)
        for (const event of events) expect(comparePositions(event.position, to)).toBeLessThanOrEqual(0)
        places.push(to)
      }
      await follow(store(), { from, maxBatch: 6, until: (events) => events.length === 100, onBatch })
      await writing
    })

    test('at the end of the log it says so, with the position of the last event', async () => {
      const { position } = await store().append(newStream(), 'any', newEvents(3))
      const batches: Batch[] = []
      const seen = await follow(store(), {
        from: 'start',
        until: (_, batch) => batch.caughtUp,
        onBatch: (batch) => void batches.push(batch),
      })
      expect(comparePositions(batches.at(-1)!.to, position)).toBeGreaterThanOrEqual(0)
      expect(comparePositions(seen.at(-1)!.position, position)).toBeGreaterThanOrEqual(0)
    })

    test('an idle subscription keeps saying that it is alive', async () => {
      let heard = 0
      const until = (_: readonly unknown[], batch: Batch) => batch.events.length === 0 && batch.caughtUp && ++heard === 3
      expect(await follow(store(), { from: await store().head(), until })).toEqual([])
    })

    test('no wake-up is lost at the end of the log', async () => {
      const stream = newStream()
      let next = 0
      const onBatch = async ({ events }: Batch) => {
        if (next === 0 || events.some((event) => event.stream === stream && event.revision === next - 1)) {
          if (next < 150) await store().append(stream, 'any', [newEvent()])
          next += 1
        }
      }
      const seen = await follow(store(), { from: 'end', until: () => next > 150, onBatch })
      expectOnceInOrder(seen, stream, 150)
    })

    test('subscribers at the end share the same event objects', async () => {
      const event = newEvent()
      let confirmed = 0
      const onBatch = async () => {
        confirmed += 1
        if (confirmed === 2) await store().append(newStream(), 'any', [event])
      }
      const reading = { from: 'end' as const, until: seenAll([event.id]) }
      const [one, two] = await Promise.all([
        follow(store(), { ...reading, onBatch }),
        follow(store(), { from: 'end', until: seenAll([event.id]), onBatch }),
      ])
      expect(one.at(-1)).toBe(two.at(-1))
    })
  })
}

const ending = ({ store }: Suite): void => {
  describe('F subscribe', () => {
    test('an error in the consumer surfaces, and the place before it delivers the same again', async () => {
      const before = await store().head()
      const ids = idsOf(await grow(store(), newStream(), 4))
      let handled: Position = before
      const passed: string[] = []
      const failing = follow(store(), {
        from: before,
        maxBatch: 2,
        until: () => false,
        onBatch: ({ events, to }) => {
          if (events.some((event) => event.id === ids[2])) throw new Error('poison')
          handled = to
          passed.push(...idsOf(events))
        },
      })
      await expect(failing).rejects.toThrow('poison')
      // Each store decides where batches end.
      const again = ids.slice(passed.length)
      expect(passed).toEqual(ids.slice(0, passed.length))
      expect(again).toContain(ids[2])
      expect(idsOf(await follow(store(), { from: handled, until: seenAll(again) })).slice(0, again.length)).toEqual(again)
    })

    test('its signal ends it, asleep or not, and nothing is delivered afterwards', async () => {
      const ending = new AbortController()
      const iterator = store().subscribe({ from: 'end', signal: ending.signal })[Symbol.asyncIterator]()
      await iterator.next()
      const pending = iterator.next()
      ending.abort()
      const last = await pending
      expect(last.done === true || last.value.events.length === 0).toBe(true)
      await store().append(newStream(), 'any', [newEvent()])
      expect((await iterator.next()).done).toBe(true)
    })
  })
}
