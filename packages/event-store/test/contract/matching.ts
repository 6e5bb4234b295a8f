import { describe, expect, test } from 'vitest'
import {
  type Batch,
  type BytesBatch,
  comparePositions,
  type EventMatch,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../../src/port.ts'
import type { Suite } from './harness.ts'
import { idsOf, newEvent, newStream } from './helpers.ts'

/** The batch in texts, and its memory given back. */
const inTexts = ({ events, release, ...batch }: BytesBatch): Batch => {
  const texts = events.map((event) => ({ ...event, data: event.data.toString(), meta: event.meta.toString() }))
  release()
  return { events: texts, ...batch }
}

/** Everything that matches behind a position, and where each batch ended. */
const matching = async (store: EventStore, after: Position, match: EventMatch, limit = 100) => {
  if (store.readMatching === undefined) throw new Error('the adapter declares what it does not have')
  const events: RecordedEvent[] = []
  const ends: Position[] = [after]
  for (let caughtUp = false; !caughtUp; ) {
    const batch = await store.readMatching(ends.at(-1)!, limit, match)
    if (store.readBytes !== undefined) expect(inTexts(await store.readBytes(ends.at(-1)!, limit, match))).toEqual(batch)
    events.push(...batch.events)
    expect(batch.events.length).toBeLessThanOrEqual(limit)
    expect(comparePositions(batch.to, ends.at(-1)!) > 0 || batch.caughtUp).toBe(true)
    ends.push(batch.to)
    caughtUp = batch.caughtUp
  }
  return { ids: idsOf(events), events, ends }
}

/** Group E: reading only what matches. */
export function matchingScenarios({ store }: Suite): void {
  const written = async (...events: ReturnType<typeof newEvent>[]) => {
    const before = await store().head()
    for (const event of events) await store().append(newStream(), 'no_stream', [event])
    return before
  }

  describe('E read what matches', () => {
    test('only the types that are asked for come, and the reader moves past the others to the end of the log', async () => {
      const events = ['A', 'B', 'A', 'C', 'B'].map((type) => newEvent({ type }))
      const before = await written(...events)
      const { ids, ends } = await matching(store(), before, { types: ['A', 'C'] })
      expect(ids).toEqual(idsOf([events[0]!, events[2]!, events[3]!]))
      expect(ends.at(-1)).toEqual(await store().head())
    })

    test('beside the types that are asked for come those that are not known', async () => {
      const events = ['A', 'B', 'New'].map((type) => newEvent({ type }))
      const before = await written(...events)
      const { ids } = await matching(store(), before, { types: ['A'], knownTypes: ['A', 'B'] })
      expect(ids).toEqual(idsOf([events[0]!, events[2]!]))
    })

    test('metadata is compared as text from its start: nothing in it is a pattern', async () => {
      const events = ['{"by":"a%"}', '{"by":"ab"}', ' {"by":"a%"}'].map((meta) => newEvent({ meta }))
      const before = await written(...events)
      expect((await matching(store(), before, { metaStart: '{"by":"a%' })).ids).toEqual([events[0]?.id])
      expect((await matching(store(), before, { metaStart: '{"by":"a' })).ids).toEqual(idsOf(events.slice(0, 2)))
    })

    test('all that is asked for must hold, and nothing asked for is everything', async () => {
      const events = [newEvent({ type: 'A', meta: '{"by":"x"}' }), newEvent({ type: 'A' }), newEvent({ type: 'B', meta: '{"by":"x"}' })]
      const before = await written(...events)
      expect((await matching(store(), before, { types: ['A'], metaStart: '{"by":"x"' })).ids).toEqual([events[0]?.id])
      expect((await matching(store(), before, {})).ids).toEqual(idsOf(events))
      expect((await matching(store(), before, { types: [] })).ids).toEqual([])
    })

    test('whatever its texts hold, an event is found by them and comes as it was written', async () => {
      const odd = [`it's`, 'a\\', '"$1"', '{,}', 'é\u2028\u{1f600}', 'NULL'].map((text) =>
        newEvent({ type: text, data: JSON.stringify({ text }), meta: JSON.stringify({ text }) }),
      )
      const before = await written(...odd, newEvent())
      expect((await matching(store(), before, { types: odd.map(({ type }) => type) })).events).toMatchObject(odd)
      for (const event of odd)
        expect((await matching(store(), before, { types: [event.type], metaStart: event.meta.slice(0, -1) })).ids).toEqual([event.id])
    })

    test('what was stored at a moment is stored since then, and what was stored before is not', async () => {
      const before = await written(newEvent(), newEvent())
      const { events } = await matching(store(), before, {})
      const since = events[1]!.created
      expect((await matching(store(), before, { since })).ids).toEqual(idsOf(events.filter(({ created }) => created >= since)))
      expect((await matching(store(), before, { since: '2999-01-01T00:00:00.000Z' })).ids).toEqual([])
    })

    test('pages of one event give each once', async () => {
      const events = ['A', 'B', 'A', 'A'].map((type) => newEvent({ type }))
      const before = await written(...events)
      expect((await matching(store(), before, { types: ['A'] }, 1)).ids).toEqual(idsOf(events.filter(({ type }) => type === 'A')))
    })

    test('behind the end there is nothing, and the position stays', async () => {
      const head = await store().head()
      expect((await matching(store(), head, { types: ['A'] })).ends).toEqual([head, head])
    })
  })
}
