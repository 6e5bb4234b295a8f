import { describe, expect, test } from 'vitest'
import { MAX_APPEND_BYTES } from '../../src/append-rules.ts'
import type { Suite } from './harness.ts'
import { grow, idsOf, newEvent, newEvents, newStream } from './helpers.ts'

const outcomes = (settled: readonly PromiseSettledResult<unknown>[]): string[] =>
  settled.map((result) => (result.status === 'fulfilled' ? 'appended' : (result.reason as Error).name))

/** Group C: many appends at once. */
export function batchScenarios(suite: Suite): void {
  const { store, capabilities } = suite
  describe('C many at once', () => {
    test('a thousand appends each get their own answer', async () => {
      const appends = Array.from({ length: 1_000 }, () => ({ stream: newStream(), event: newEvent() }))
      const answers = await Promise.all(appends.map(({ stream, event }) => store().append(stream, 'no_stream', [event])))
      expect(answers.every((answer) => answer.revision === 0 && !answer.duplicate)).toBe(true)
      expect(new Set(answers.map((answer) => `${answer.position.commit}/${answer.position.prepare}`)).size).toBe(1_000)
      const sample = appends[617]!
      expect(idsOf(await store().readStream(sample.stream))).toEqual([sample.event.id])
    })

    test('refused appends do not harm their neighbours', async () => {
      const existing = newStream()
      const [known] = await grow(store(), existing, 1)
      const good = Array.from({ length: 20 }, () => newStream())
      const settled = await Promise.allSettled([
        ...good.slice(0, 10).map((stream) => store().append(stream, 'no_stream', [newEvent()])),
        store().append(existing, 7, [newEvent()]),
        store().append(newStream(), 'any', [newEvent({ data: JSON.stringify('x'.repeat(MAX_APPEND_BYTES)) })]),
        store().append(existing, 'no_stream', [known!, newEvent()]),
        ...good.slice(10).map((stream) => store().append(stream, 'no_stream', [newEvent()])),
      ])
      const names = outcomes(settled)
      expect(names.filter((name) => name === 'appended')).toHaveLength(20)
      expect(names.slice(10, 12)).toEqual(['WrongExpectedRevision', 'InvalidAppend'])
      expect(['EventIdConflict', 'WrongExpectedRevision']).toContain(names[12])
    })

    test('two appends to one stream at once are applied in order, or the second is refused', async () => {
      const stream = newStream()
      const events = newEvents(2)
      const settled = await Promise.allSettled([store().append(stream, 'no_stream', [events[0]!]), store().append(stream, 0, [events[1]!])])
      const names = outcomes(settled)
      expect(names[0]).toBe('appended')
      expect(['appended', 'WrongExpectedRevision']).toContain(names[1])
      expect(idsOf(await store().readStream(stream))).toEqual(idsOf(events).slice(0, names[1] === 'appended' ? 2 : 1))
    })

    test('more bytes than fit one call are split', async () => {
      const data = JSON.stringify('é'.repeat(60_000))
      const streams = Array.from({ length: 40 }, () => newStream())
      const answers = await Promise.all(streams.map((stream) => store().append(stream, 'no_stream', [newEvent({ data })])))
      expect(answers.every((answer) => answer.revision === 0)).toBe(true)
      expect((await store().readStream(streams[39]!))[0]!.data).toBe(data)
    })

    if (capabilities.sameIdInOtherStream === 'refused') oneIdForTwo(suite)
    if (capabilities.issueOrder) issueOrder(suite)
    if (capabilities.connectionLoss) connectionLoss(suite)
  })
}

const oneIdForTwo = ({ store }: Suite): void => {
  test('one id in two appends at once lands once, and their neighbours land too', async () => {
    const event = newEvent()
    const settled = await Promise.allSettled([
      store().append(newStream(), 'no_stream', [event]),
      store().append(newStream(), 'no_stream', [newEvent()]),
      store().append(newStream(), 'no_stream', [event]),
      store().append(newStream(), 'no_stream', [newEvent()]),
    ])
    expect(outcomes(settled)).toEqual(['appended', 'appended', 'EventIdConflict', 'appended'])
  })
}

const issueOrder = ({ store }: Suite): void => {
  test('appends issued together lie in the log in that order', async () => {
    const before = await store().head()
    const events = newEvents(300)
    await Promise.all(events.map((event) => store().append(newStream(), 'no_stream', [event])))
    expect(idsOf((await store().readAll(before, 300)).events)).toEqual(idsOf(events))
  })
}

const connectionLoss = ({ store, harness }: Suite): void => {
  test('appends survive a lost connection, each exactly once', async () => {
    const streams = Array.from({ length: 60 }, () => newStream())
    const writing = Promise.all(streams.map((stream) => grow(store(), stream, 10)))
    await harness().loseConnections!()
    const written = await writing
    for (const [n, stream] of streams.entries()) expect(idsOf(await store().readStream(stream))).toEqual(idsOf(written[n]!))
  })
}
