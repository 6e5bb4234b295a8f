import { describe, expect, test } from 'vitest'
import { comparePositions, type ExpectedRevision } from '../../src/port.ts'
import type { Suite } from './harness.ts'
import { expectRefusal, expectRepetition, grow, idsOf, newEvent, newEvents, newStream } from './helpers.ts'

/** Group B: the same event ids again. */
export function idempotencyScenarios(suite: Suite): void {
  const { store, capabilities } = suite
  const again = async (stream: string, expected: ExpectedRevision, behind: number): Promise<void> => {
    const events = newEvents(2)
    const first = await store().append(stream, expected, events)
    for (let n = 0; n < behind; n++) await store().append(stream, 'any', [newEvent()])
    expectRepetition(await store().append(stream, expected, events), first, capabilities.tellsDuplicates)
    expect(await store().readStream(stream)).toHaveLength(first.revision + 1 + behind)
  }

  describe('B idempotency', () => {
    test.each([
      ['at once', 0],
      ['after later events', 3],
    ])('a repetition %s answers as the first time, whatever was expected', async (_, behind) => {
      await again(newStream(), 'no_stream', behind)
      await again(newStream(), 'any', behind)
      const existing = newStream()
      await grow(store(), existing, 3)
      await again(existing, 2, behind)
    })

    test('an append of which some ids are known fails and writes none', async () => {
      const stream = newStream()
      const events = newEvents(2)
      await store().append(stream, 'no_stream', events)
      const partly = { stream, expected: 'no_stream' as const, events: [...events, newEvent()] }
      await expectRefusal(store(), partly, 'EventIdConflict', 'WrongExpectedRevision')
    })

    test('the same ids in another order fail', async () => {
      const stream = newStream()
      const events = newEvents(3)
      await store().append(stream, 'no_stream', events)
      const reversed = { stream, expected: 'no_stream' as const, events: events.toReversed() }
      await expectRefusal(store(), reversed, 'EventIdConflict', 'WrongExpectedRevision')
    })

    test('a repetition to a soft-deleted stream writes nothing', async () => {
      const stream = newStream()
      const events = newEvents(2)
      const first = await store().append(stream, 'no_stream', events)
      await store().deleteStream(stream, 'any')
      const repeated = await store().append(stream, 'no_stream', events)
      expect(comparePositions(repeated.position, first.position)).toBeGreaterThanOrEqual(0)
      if (capabilities.placesHiddenRepetitions) expectRepetition(repeated, first, capabilities.tellsDuplicates)
      expect(await store().readStream(stream)).toHaveLength(0)
    })

    otherStream(suite)
    sequences(suite)
    if (capabilities.secondInstance) byAnotherProcess(suite)
  })
}

const otherStream = ({ store, capabilities }: Suite): void => {
  if (capabilities.sameIdInOtherStream === 'appends') {
    test('an id of another stream is a new event here', async () => {
      const event = newEvent()
      await store().append(newStream(), 'no_stream', [event])
      expect(await store().append(newStream(), 'no_stream', [event])).toMatchObject({ revision: 0, duplicate: false })
    })
    return
  }
  test('an id of another stream is refused', async () => {
    const event = newEvent()
    await store().append(newStream(), 'no_stream', [event])
    await expectRefusal(store(), { stream: newStream(), expected: 'no_stream', events: [event] }, 'EventIdConflict')
  })
}

/** The server's own names for these: event number, `e`, expected revision (KurrentDB, idempotency tests). */
const sequences = ({ store, capabilities }: Suite): void => {
  describe('after 0e-1 1e0 2e1 3e2 4e3 5e4', () => {
    const six = async () => {
      const stream = newStream()
      return { stream, events: await grow(store(), stream, 6) }
    }

    test.each(['no_stream', 'any'] as const)('event 0 with %s is a repetition', async (expected) => {
      const { stream, events } = await six()
      expect((await store().append(stream, expected, [events[0]!])).revision).toBe(0)
      expect(await store().readStream(stream)).toHaveLength(6)
    })

    test.each([4, 6])('event 0 at revision %d is wrong', async (expected) => {
      const { stream, events } = await six()
      await expectRefusal(store(), { stream, expected, events: [events[0]!] }, 'WrongExpectedRevision')
    })

    test('events 0 to 5 with no_stream are a repetition', async () => {
      const { stream, events } = await six()
      expect((await store().append(stream, 'no_stream', events)).revision).toBe(5)
      expect(idsOf(await store().readStream(stream))).toEqual(idsOf(events))
    })

    test(`event 0 at the new revision 5 ${capabilities.knownIdAtNewRevision === 'appends' ? 'is a new event' : 'is refused'}`, async () => {
      const { stream, events } = await six()
      const append = { stream, expected: 5, events: [events[0]!] }
      if (capabilities.knownIdAtNewRevision === 'refused') return expectRefusal(store(), append, 'EventIdConflict')
      expect((await store().append(stream, 5, [events[0]!])).revision).toBe(6)
    })
  })
}

const byAnotherProcess = ({ store, harness, capabilities }: Suite): void => {
  test('a repetition by another process answers as the first time', async () => {
    const other = await harness().another!()
    const stream = newStream()
    const events = newEvents(2)
    const first = await store().append(stream, 'no_stream', events)
    expectRepetition(await other.append(stream, 'no_stream', events), first, capabilities.tellsDuplicates)
    await other.close()
  })
}
