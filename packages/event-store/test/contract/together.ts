import { describe, expect, test } from 'vitest'
import type { Append, Appended, EventStore } from '../../src/port.ts'
import type { Suite } from './harness.ts'
import { grow, idsOf, newEvent, newEvents, newStream } from './helpers.ts'

const together = (store: EventStore, appends: readonly Append[]): Promise<readonly Appended[]> => {
  if (store.appendTogether === undefined) throw new Error('the adapter declares what it does not have')
  return store.appendTogether(appends)
}

const creating = (stream = newStream()): Append => ({ stream, expected: 'no_stream', events: [newEvent()] })

const nameOf = (result: PromiseSettledResult<unknown>): string => (result.status === 'fulfilled' ? 'appended' : result.reason.name)

/** Group D: appends that are written together, or not at all. */
export function togetherScenarios({ store }: Suite): void {
  const lengths = (appends: readonly Append[]) => Promise.all(appends.map(async ({ stream }) => (await store().readStream(stream)).length))

  describe('D all or none', () => {
    test('appends to several streams are written side by side, in their order', async () => {
      const before = await store().head()
      const existing = newStream()
      await grow(store(), existing, 2)
      const appends = [creating(), { stream: existing, expected: 1, events: newEvents(2) }, creating()]
      const answers = await together(store(), appends)
      expect(answers.map(({ revision, duplicate }) => [revision, duplicate])).toEqual([
        [0, false],
        [3, false],
        [0, false],
      ])
      const written = (await store().readAll(before, 10)).events.slice(2)
      expect(idsOf(written)).toEqual(appends.flatMap(({ events }) => idsOf(events)))
      expect(answers.at(-1)!.position).toEqual(written.at(-1)!.position)
    })

    test('one that may not be written keeps the others out, and is the one that is reported', async () => {
      const taken = creating()
      await together(store(), [taken])
      const group = [creating(), { ...taken, events: [newEvent()] }, creating()]
      await expect(together(store(), group)).rejects.toMatchObject({ name: 'WrongExpectedRevision', stream: taken.stream, current: 0 })
      expect(await lengths(group)).toEqual([0, 1, 0])
    })

    test('a group that is refused harms no neighbour', async () => {
      const taken = creating()
      await together(store(), [taken])
      const [before, after] = [creating(), creating()]
      const settled = await Promise.allSettled([
        together(store(), [before]),
        together(store(), [creating(), { ...taken, events: [newEvent()] }]),
        store().append(after.stream, after.expected, after.events),
      ])
      expect(settled.map(nameOf)).toEqual(['appended', 'WrongExpectedRevision', 'appended'])
    })

    test('a repetition answers as the first time, and writes nothing', async () => {
      const group = [creating(), creating()]
      const first = await together(store(), group)
      await grow(store(), newStream(), 1)
      expect(await together(store(), group)).toEqual(first.map((answer) => ({ ...answer, duplicate: true })))
      expect(await lengths(group)).toEqual([1, 1])
    })

    test('a group of which a part was written before is refused whole', async () => {
      const [known, unknown] = [creating(), creating()]
      await together(store(), [known])
      await expect(together(store(), [known, unknown])).rejects.toMatchObject({ name: 'EventIdConflict', retryable: false })
      await expect(together(store(), [unknown, known])).rejects.toMatchObject({ name: 'EventIdConflict' })
      expect(await lengths([known, unknown])).toEqual([1, 0])
    })

    test('groups that share streams are written one after the other', async () => {
      const [a, b, c] = [newStream(), newStream(), newStream()]
      const pairs = [
        [a, b],
        [b, c],
        [c, a],
        [a, b],
      ]
      const groups = pairs.map((streams) => streams.map((stream): Append => ({ stream, expected: 'any', events: [newEvent()] })))
      await Promise.all(groups.map((group) => together(store(), group)))
      for (const stream of [a, b, c]) {
        const appended = groups.flat().filter((append) => append.stream === stream)
        expect(idsOf(await store().readStream(stream))).toEqual(appended.flatMap(({ events }) => idsOf(events)))
      }
    })

    test('of groups that race for streams, each is written whole or not at all', async () => {
      const values = Array.from({ length: 6 }, () => newStream())
      const groups = Array.from({ length: 40 }, (_, n) => [creating(values[n % 6]), creating(), creating(values[(n * 5 + 1) % 6])])
      const races = groups.filter(([first, , last]) => first!.stream !== last!.stream)
      const settled = await Promise.allSettled(races.map((group) => together(store(), group)))
      expect(new Set(settled.map(nameOf))).toEqual(new Set(['appended', 'WrongExpectedRevision']))
      for (const [n, group] of races.entries()) {
        const ids = new Set(group.flatMap(({ events }) => idsOf(events)))
        const found = (await Promise.all(group.map(({ stream }) => store().readStream(stream)))).flat().filter(({ id }) => ids.has(id))
        expect(found).toHaveLength(settled[n]!.status === 'fulfilled' ? 3 : 0)
      }
    })

    test.each([
      ['an append of nothing', [{ ...creating(), events: [] }]],
      ['the same stream twice', [creating('twice'), creating('twice')]],
      ['the same event id twice', [creating(), creating()].map((append) => ({ ...append, events: [newEvent({ id: SAME_ID })] }))],
      ['too many bytes', [creating(), creating()].map((append) => ({ ...append, events: [newEvent({ data: HALF_TOO_MUCH })] }))],
    ])('%s is refused before anything is written', async (_, group) => {
      await expect(together(store(), [creating(), ...group])).rejects.toMatchObject({ name: 'InvalidAppend', retryable: false })
      expect(await lengths(group)).toEqual(group.map(() => 0))
    })
  })
}

const SAME_ID = '5f0f8f0e-2d3f-4c57-9c3b-2b8f6f2f4a11'
const HALF_TOO_MUCH = JSON.stringify('x'.repeat(600_000))
