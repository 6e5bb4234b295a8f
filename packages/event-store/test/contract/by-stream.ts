import { describe, expect, test } from 'vitest'
import type { EventStore, RecordedEvent, StreamMatch, StreamRevision } from '../../src/port.ts'
import type { Suite } from './harness.ts'
import { idsOf, newEvent, newStream } from './helpers.ts'

type Reading = Readonly<{ ranges?: number; limit?: number; match?: Partial<StreamMatch> }>

/** Everything of a category, range by range, page by page. */
const readCategory = async (store: EventStore, category: string, { ranges: count = 4, limit = 3, match = {} }: Reading = {}) => {
  const { byStream } = store
  if (byStream === undefined) throw new Error('the adapter declares what it does not have')
  const all: StreamMatch = { types: [], knownTypes: [], upTo: await store.head(), ...match }
  const events: RecordedEvent[] = []
  const ranges = await byStream.ranges(category, count)
  expect(ranges.length).toBeLessThanOrEqual(count)
  for (const range of ranges) {
    let cursor: StreamRevision | null = null
    do {
      const batch = await byStream.read(range, cursor, limit, all)
      expect(batch.events.length).toBeLessThanOrEqual(limit)
      events.push(...batch.events)
      cursor = batch.next
    } while (cursor !== null)
  }
  return events
}

let categories = 0
const newCategory = (): string => `by stream ${categories++} ${newStream('of')}`

/** Group E: reading one stream after the other. */
export function byStreamScenarios({ store }: Suite): void {
  const write = async (streams: readonly string[], changes: Parameters<typeof newEvent>[0][] = [{}]) => {
    for (const change of changes) for (const stream of streams) await store().append(stream, 'any', [newEvent(change)])
  }

  describe('E read by stream', () => {
    test.each([
      [1, 1],
      [1, 100],
      [3, 2],
      [64, 5],
    ])('in %i ranges and pages of %i each event comes once, one stream after the other', async (ranges, limit) => {
      const category = newCategory()
      const streams = Array.from({ length: 7 }, () => newStream(category))
      await write([...streams, newStream('elsewhere')], [{}, {}, {}])
      const events = await readCategory(store(), category, { ranges, limit })
      expect(events.map(({ stream, revision }) => [stream, revision])).toEqual(
        streams.toSorted().flatMap((stream) => [0, 1, 2].map((revision) => [stream, revision])),
      )
      const alone = await store().readStream(streams[0]!)
      expect(events.filter(({ stream }) => stream === streams[0])).toEqual(alone)
    })

    test('a category has the streams whose names begin with it and a hyphen, whatever comes behind', async () => {
      const category = newCategory()
      const streams = ['', '-', 'é\u{1f600}', '~', ' ', '-x-y'].map((rest) => `${category}-${rest}`)
      await write([...streams, `${category}`, `${category}.`, `${category}x-1`, `x${category}-1`, `${category},-1`])
      expect((await readCategory(store(), category)).map(({ stream }) => stream).toSorted()).toEqual(streams.toSorted())
    })

    test('the types that are asked for come, and those that are not known', async () => {
      const category = newCategory()
      await write([newStream(category)], [{ type: 'A' }, { type: 'B' }, { type: 'New' }, { type: 'A' }])
      const typesOf = async (match: Partial<StreamMatch>) =>
        (await readCategory(store(), category, { limit: 1, match })).map(({ type }) => type)
      expect(await typesOf({ types: ['A'], knownTypes: ['A', 'B', 'New'] })).toEqual(['A', 'A'])
      expect(await typesOf({ types: ['A'], knownTypes: ['A', 'B'] })).toEqual(['A', 'New', 'A'])
      expect(await typesOf({ types: [], knownTypes: ['A', 'B', 'New'] })).toEqual([])
    })

    test('what is behind the end that was given does not come', async () => {
      const category = newCategory()
      const streams = [newStream(category), newStream(category)]
      await write(streams)
      const before = await store().head()
      const ids = idsOf(await readCategory(store(), category))
      await write([...streams, newStream(category)])
      expect(idsOf(await readCategory(store(), category, { match: { upTo: before } }))).toEqual(ids)
    })

    test('a category without streams is empty', async () => {
      expect(await readCategory(store(), newCategory())).toEqual([])
    })
  })
}
