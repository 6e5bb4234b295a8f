import { randomUUID } from 'node:crypto'
import type { Position, RecordedEvent } from './port.ts'

/** Position `n` of a dense log. */
export const at = (n: number): Position => ({ commit: BigInt(n), prepare: 0n })

/** Event number `n` of a dense log, in a stream of its own. */
export const recordedAt = (n: number, data = '{}'): RecordedEvent => ({
  ...{ id: randomUUID(), type: 'Happened', data, meta: '{}', stream: `s-${n}`, revision: 0 },
  position: at(n),
  created: '2026-01-01T00:00:00.000Z',
})

/** Events `first` to `last`, both included. */
export const recordedRange = (first: number, last: number): RecordedEvent[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => recordedAt(first + n))

export const numbersOf = (events: readonly RecordedEvent[]): number[] => events.map((event) => Number(event.position.commit))
