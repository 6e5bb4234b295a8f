import { randomUUID } from 'node:crypto'
import type { Position, RecordedEvent } from '../src/port.ts'

/** Position `n` of a dense log. */
export function at(n: number): Position {
  return { commit: BigInt(n), prepare: 0n }
}

/** Event number `n` of a dense log, in a stream of its own. */
export function recordedAt(n: number, data = '{}'): RecordedEvent {
  return {
    ...{ id: randomUUID(), type: 'Happened', data, meta: '{}', stream: `s-${n}`, revision: 0 },
    position: at(n),
    created: '2026-01-01T00:00:00.000Z',
  }
}

/** Events `first` to `last`, both included. */
export function recordedRange(first: number, last: number): RecordedEvent[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => recordedAt(first + n))
}

export function numbersOf(events: readonly RecordedEvent[]): number[] {
  return events.map((event) => Number(event.position.commit))
}
