import type { Recorded } from '@tidings/codec'
import { type Position, type RecordedEvent, START } from '@tidings/event-store'
import { expect, test } from 'vitest'
import { openedParts } from '../../src/log-export/opened-parts.ts'

const COUNT = 300
const MB = 1024 ** 2
const text = 'x'.repeat(100_000)
const at = (n: number): Position => ({ commit: BigInt(n), prepare: 0n })

const META =
  '{"workspaceId":"0192f0c1-0000-7000-8000-00000000000a","actor":"a","requestId":"r","schemaVersion":1,"at":"2026-01-01T00:00:00.000Z"}'
const stored = Array.from({ length: COUNT }, (_, n): RecordedEvent => {
  const event = { id: crypto.randomUUID(), type: 'NoteTaken', data: `{"text":"${text}"}`, meta: META }
  return { ...event, stream: `note-${n}`, revision: 0, position: at(n + 1), created: '2026-01-01T00:00:00.000Z' }
})

/** A page has 20 events, as a store bounds its bytes. */
const readAll = async (after: Position | 'start') => {
  const from = after === 'start' ? 0 : Math.max(0, Number(after.commit))
  const events = stored.slice(from, from + 20)
  return { events, to: events.at(-1)?.position ?? at(COUNT), caughtUp: from + 20 >= COUNT }
}

const decode = async (events: readonly RecordedEvent[]) => ({
  events: events.map(
    ({ data, meta, ...event }) => ({ ...event, data: JSON.parse(data), meta: JSON.parse(meta), erased: false }) as Recorded,
  ),
  done: events.length,
  failure: null,
})

type Read = typeof readAll

const partsOf = async (read: Read) => {
  const parts = openedParts({
    ...{ store: { readAll: read }, log: { decode }, after: START, head: at(COUNT) },
    threads: { url: '', masterKeys: [''], count: 1, part: COUNT },
    advance: ({ commit }, events) => at((commit < 0n ? 0 : Number(commit)) + events),
    selection: { until: null },
    lost: new AbortController().signal,
  })
  const sizes: number[] = []
  let events = 0
  for await (const part of parts) {
    sizes.push(part.bytes.length)
    events += part.events
  }
  return { sizes, events }
}

test('a part has no more than some megabytes, however large its events are, and no event is missing', async () => {
  const { sizes, events } = await partsOf(readAll)
  expect(events).toBe(COUNT)
  expect(Math.max(...sizes)).toBeLessThan(11 * MB)
  expect(sizes.length).toBeGreaterThan(2)
})

test('a range whose last places no reader is shown ends all the same', async () => {
  const shown: Read = async (after) => {
    const page = await readAll(after)
    return { ...page, to: page.events.at(-1)?.position ?? at(COUNT), events: page.events.filter(({ position }) => position.commit < 290n) }
  }
  expect(await partsOf(shown)).toMatchObject({ events: 289 })
})
