import { until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import { comparePositions, type ReadStreamOptions } from '../../src/port.ts'
import type { Suite } from './harness.ts'
import { expectRefusal, grow, idsOf, newEvent, newEvents, newStream } from './helpers.ts'

/** Group E: reading, limits, deletion. */
export function readScenarios(suite: Suite): void {
  const { store } = suite
  describe('E read', () => {
    test('a missing stream reads as no events', async () => {
      expect(await store().readStream(newStream())).toEqual([])
    })

    test('a stream reads forwards and backwards, from a revision, up to a count', async () => {
      const stream = newStream()
      const ids = idsOf(await grow(store(), stream, 6))
      const read = async (options: ReadStreamOptions) => idsOf(await store().readStream(stream, options))
      expect(await read({})).toEqual(ids)
      expect(await read({ from: 2 })).toEqual(ids.slice(2))
      expect(await read({ from: 2, limit: 2 })).toEqual(ids.slice(2, 4))
      expect(await read({ from: 6 })).toEqual([])
      expect(await read({ direction: 'backwards' })).toEqual(ids.toReversed())
      expect(await read({ direction: 'backwards', limit: 1 })).toEqual(ids.slice(5))
      expect(await read({ direction: 'backwards', from: 2, limit: 2 })).toEqual([ids[2], ids[1]])
      for (const from of [99, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
        expect(await read({ from })).toEqual([])
        expect(await read({ direction: 'backwards', from, limit: 1 })).toEqual(ids.slice(5))
      }
    })

    test('what was written comes back exactly', async () => {
      const stream = newStream('contráct_ünïcode')
      const events = [
        newEvent({ type: 'Ärger', data: '{ "b": 1.50, "a" : "\\u00e9é€😀 \\" \\\\ \\u0000" }', meta: '{}' }),
        newEvent({ data: '[]', meta: '{"z":{"deep":[1,2,{}]},"a":null}' }),
        newEvent({ data: 'null', meta: 'null' }),
      ]
      await store().append(stream, 'no_stream', events)
      expect(await store().readStream(stream)).toMatchObject(events.map((event, revision) => ({ ...event, stream, revision })))
    })

    test('the whole log reads in order, from behind a position, up to a count, and gives the position', async () => {
      const before = await store().head()
      const stream = newStream()
      const ids = idsOf(await grow(store(), stream, 5))
      const page = await store().readAll(before, 3)
      expect(idsOf(page.events)).toEqual(ids.slice(0, 3))
      const rest = await store().readAll(page.to, 10)
      expect(idsOf(rest.events)).toEqual(ids.slice(3))
      expect(rest.caughtUp).toBe(true)
      expect(comparePositions(rest.to, await store().head())).toBe(0)
      expect((await store().readAll(rest.to, 10)).events).toEqual([])
      const [first] = (await store().readAll('start', 1)).events
      expect(first).toBeDefined()
    })

    test('the head is the last append', async () => {
      const { position } = await store().append(newStream(), 'any', newEvents(3))
      expect(comparePositions(await store().head(), position)).toBe(0)
    })

    test('`created` is ISO in UTC with milliseconds and never goes back along the log', async () => {
      const before = await store().head()
      await Promise.all(newEvents(50).map((event) => store().append(newStream(), 'any', [event])))
      const created = (await store().readAll(before, 100)).events.map((event) => event.created)
      expect(created.every((at) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(at))).toBe(true)
      expect(created.toSorted()).toEqual(created)
    })
  })
  limits(suite)
  deletion(suite)
}

const limits = ({ store, capabilities }: Suite): void => {
  describe('E stream limits', () => {
    test('truncate-before hides what is below', async () => {
      const stream = newStream()
      const ids = idsOf(await grow(store(), stream, 5))
      await store().setStreamLimits(stream, { truncateBefore: 3 })
      expect(idsOf(await store().readStream(stream))).toEqual(ids.slice(3))
      expect(idsOf(await store().readStream(stream, { direction: 'backwards' }))).toEqual(ids.slice(3).toReversed())
    })

    if (capabilities.readsPastLimits)
      test('what limits and deletion hide is there for who asks for it', async () => {
        const stream = newStream()
        const ids = idsOf(await grow(store(), stream, 5))
        const all = async (options: ReadStreamOptions = {}) => idsOf(await store().readStream(stream, { ...options, pastLimits: true }))
        await store().setStreamLimits(stream, { truncateBefore: 3, maxCount: 1 })
        expect(await all()).toEqual(ids)
        expect(await all({ from: 1, limit: 2 })).toEqual(ids.slice(1, 3))
        await store().tombstoneStream(stream, 4)
        expect(await all({ direction: 'backwards', from: 2 })).toEqual(ids.slice(0, 3).toReversed())
        expect(await store().readStream(newStream(), { pastLimits: true })).toEqual([])
      })

    test('max-count keeps the newest, also of later appends', async () => {
      const stream = newStream()
      await grow(store(), stream, 5)
      await store().setStreamLimits(stream, { maxCount: 2 })
      await store().append(stream, 4, [newEvent()])
      expect((await store().readStream(stream)).map((event) => event.revision)).toEqual([4, 5])
    })

    test('max-age hides what has become too old', async () => {
      const stream = newStream()
      await grow(store(), stream, 2)
      await store().setStreamLimits(stream, { maxAgeSeconds: 3_600 })
      expect(await store().readStream(stream)).toHaveLength(2)
      await store().setStreamLimits(stream, { maxAgeSeconds: 1 })
      await until(async () => expect(await store().readStream(stream)).toEqual([]), 100)
      expect((await store().append(stream, 1, [newEvent()])).revision).toBe(2)
    })
  })
}

const deletion = ({ store }: Suite): void => {
  describe('E deletion', () => {
    test('a soft-deleted stream reads as missing and continues its numbering when it is created again', async () => {
      const stream = newStream()
      await grow(store(), stream, 3)
      await store().deleteStream(stream, 2)
      expect(await store().readStream(stream)).toEqual([])
      const events = newEvents(2)
      expect((await store().append(stream, 'no_stream', events)).revision).toBe(4)
      expect(await store().readStream(stream)).toMatchObject(events.map(({ id }, n) => ({ id, revision: 3 + n })))
      await expectRefusal(store(), { stream, expected: 'no_stream', events: [newEvent()] }, 'WrongExpectedRevision')
    })

    test('a soft delete at the wrong revision hides nothing', async () => {
      const stream = newStream()
      await grow(store(), stream, 3)
      await expect(store().deleteStream(stream, 1)).rejects.toMatchObject({ name: 'WrongExpectedRevision' })
      expect(await store().readStream(stream)).toHaveLength(3)
    })

    test('a tombstone refuses readers and writers permanently', async () => {
      const stream = newStream()
      const events = await grow(store(), stream, 2)
      await store().tombstoneStream(stream, 1)
      const deleted = { name: 'StreamDeleted', retryable: false }
      await expect(store().readStream(stream)).rejects.toMatchObject(deleted)
      await expect(store().append(stream, 'any', [newEvent()])).rejects.toMatchObject(deleted)
      await expect(store().append(stream, 'no_stream', events)).rejects.toMatchObject(deleted)
      await expect(store().deleteStream(stream, 'any')).rejects.toMatchObject(deleted)
      await expect(store().tombstoneStream(stream, 'any')).rejects.toMatchObject(deleted)
    })
  })
}
