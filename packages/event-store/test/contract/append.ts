import { describe, expect, test } from 'vitest'
import { MAX_APPEND_BYTES } from '../../src/append-rules.ts'
import { comparePositions } from '../../src/port.ts'
import type { Suite } from './harness.ts'
import { expectRefusal, grow, idsOf, newEvent, newEvents, newStream } from './helpers.ts'

/** Group A: one append at a time. */
export function appendScenarios({ store }: Suite): void {
  describe('A append', () => {
    test('no_stream creates a stream', async () => {
      const stream = newStream()
      const appended = await store().append(stream, 'no_stream', [newEvent()])
      expect(appended).toMatchObject({ revision: 0, duplicate: false })
    })

    test('no_stream on an existing stream fails and reports its revision', async () => {
      const stream = newStream()
      await grow(store(), stream, 3)
      await expect(store().append(stream, 'no_stream', [newEvent()])).rejects.toMatchObject({
        name: 'WrongExpectedRevision',
        stream,
        current: 2,
      })
    })

    test('any appends to a new stream and to an existing one', async () => {
      const stream = newStream()
      expect((await store().append(stream, 'any', [newEvent()])).revision).toBe(0)
      expect((await store().append(stream, 'any', [newEvent()])).revision).toBe(1)
    })

    test('stream_exists fails on a missing stream and appends to an existing one', async () => {
      const stream = newStream()
      await expectRefusal(store(), { stream, expected: 'stream_exists', events: [newEvent()] }, 'WrongExpectedRevision')
      await grow(store(), stream, 1)
      expect((await store().append(stream, 'stream_exists', [newEvent()])).revision).toBe(1)
    })

    test('an exact revision appends behind it', async () => {
      const stream = newStream()
      await grow(store(), stream, 2)
      expect((await store().append(stream, 1, [newEvent()])).revision).toBe(2)
    })

    test.each([
      ['too low', 0],
      ['too high', 2],
      ['far too high', 70],
    ])('a revision that is %s fails and leaves nothing', async (_, expected) => {
      const stream = newStream()
      await grow(store(), stream, 2)
      await expectRefusal(store(), { stream, expected, events: newEvents(2) }, 'WrongExpectedRevision')
    })

    test('a revision on a missing stream fails and reports that there is none', async () => {
      const stream = newStream()
      await expect(store().append(stream, 0, [newEvent()])).rejects.toMatchObject({ name: 'WrongExpectedRevision', current: null })
    })

    test('appending nothing changes nothing', async () => {
      const stream = newStream()
      await grow(store(), stream, 2)
      expect((await store().append(stream, 1, [])).revision).toBe(1)
      expect(await store().readStream(stream)).toHaveLength(2)
    })

    test('many events get consecutive revisions and increasing positions', async () => {
      const stream = newStream()
      const events = newEvents(50)
      const appended = await store().append(stream, 'no_stream', events)
      const read = await store().readStream(stream)
      expect(idsOf(read)).toEqual(idsOf(events))
      expect(read.map((event) => event.revision)).toEqual(events.map((_, n) => n))
      expect(read.every((event, n) => n === 0 || comparePositions(read[n - 1]!.position, event.position) < 0)).toBe(true)
      expect(appended).toMatchObject({ revision: 49, position: read[49]!.position })
    })

    test('the position of an append lies behind all earlier ones', async () => {
      const first = await store().append(newStream(), 'any', [newEvent()])
      const second = await store().append(newStream(), 'any', [newEvent()])
      expect(comparePositions(first.position, second.position)).toBeLessThan(0)
    })
  })
  refusals({ store })
}

const refusals = ({ store }: Pick<Suite, 'store'>): void => {
  describe('A append refuses without writing', () => {
    test.each([-1, -2, 0.5, Number.NaN, 2 ** 31])('the expected revision %d', async (expected) => {
      await expectRefusal(store(), { stream: newStream(), expected, events: [newEvent()] }, 'InvalidAppend')
    })

    test('an append that is too large', async () => {
      const data = JSON.stringify('x'.repeat(MAX_APPEND_BYTES))
      await expectRefusal(store(), { stream: newStream(), expected: 'any', events: [newEvent({ data })] }, 'InvalidAppend')
      const ofLongTypes = newEvents(600).map((event) => ({ ...event, type: 'x'.repeat(900) }))
      await expectRefusal(store(), { stream: newStream(), expected: 'any', events: ofLongTypes }, 'InvalidAppend')
    })

    test.each([
      ['a NUL in the data', { data: '"\0"' }],
      ['a lone surrogate in the metadata', { meta: '"\ud800"' }],
      ['a NUL in the type', { type: 'Some\0thing' }],
      ['a reserved type', { type: '$metadata' }],
      ['an empty type', { type: '' }],
      ['an id that is no UUID', { id: 'one' }],
    ])('%s', async (_, change) => {
      await expectRefusal(store(), { stream: newStream(), expected: 'any', events: [newEvent(), newEvent(change)] }, 'InvalidAppend')
    })

    test('one id twice in an append', async () => {
      const event = newEvent()
      await expectRefusal(store(), { stream: newStream(), expected: 'any', events: [event, event] }, 'InvalidAppend')
    })

    test.each(['', '$all', 'a\0b', 'a\udc00b', 'x'.repeat(1_001)])('the stream name %j', async (stream) => {
      await expect(store().append(stream, 'any', [newEvent()])).rejects.toMatchObject({ name: 'InvalidAppend', retryable: false })
    })
  })
}
