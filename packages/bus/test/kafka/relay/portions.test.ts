import type { RecordedEvent } from '@tidings/event-store'
import { expect, test } from 'vitest'
import { portionsOf } from '../../../src/kafka/relay/portions.ts'

const event = (n: number, type: string, bytes: number): RecordedEvent => ({
  id: String(n),
  type,
  data: `"${'x'.repeat(bytes)}"`,
  meta: '{}',
  stream: 's',
  revision: n,
  position: { commit: BigInt(n), prepare: 0n },
  created: '2026-11-21T10:00:00.000Z',
})
const end = { commit: 99n, prepare: 0n }
const shape = (events: readonly RecordedEvent[]) =>
  portionsOf(events, end, new Set(['A'])).map(({ records, to }) => [records.map((record) => record.event.revision), Number(to.commit)])

test('only the types on the list go out, and the end is reached all the same', () => {
  expect(shape([event(1, 'A', 10), event(2, 'B', 10), event(3, 'A', 10)])).toEqual([[[1, 3], 99]])
  expect(shape([event(1, 'B', 10)])).toEqual([[[], 99]])
})

test('no request is larger than a broker takes', () => {
  expect(shape([event(1, 'A', 400_000), event(2, 'A', 400_000), event(3, 'B', 1), event(4, 'A', 400_000)])).toEqual([
    [[1, 2], 2],
    [[4], 99],
  ])
})

test('an event that is larger alone takes the room of one that goes by name', () => {
  expect(shape([event(1, 'A', 5_000_000), event(2, 'A', 300_000), event(3, 'A', 300_000)])).toEqual([
    [[1, 2], 2],
    [[3], 99],
  ])
})
