import type { Position, RecordedEvent } from '@tidings/event-store'
import { type Outgoing, outgoing } from '../record.ts'

/** The events that go out in one request, and the position up to which the log is published then. */
export type Portion = Readonly<{ records: readonly Outgoing[]; to: Position }>

/**
 * The client makes one record batch a partition of everything it is given, and a broker refuses one over 1 MiB by default
 * (`message.max.bytes`): a portion is smaller whatever partition it falls into.
 */
const MAX_BYTES = 900_000

/** An event beyond this goes out without its value: consumers read it from the log. */
export const MAX_EVENT_BYTES = 500_000

/** Splits a batch of the log into requests that no broker refuses. The last goes up to the batch's end, published or not. */
export function portionsOf(events: readonly RecordedEvent[], end: Position, types: ReadonlySet<string>): readonly Portion[] {
  const portions: Portion[] = []
  let records: Outgoing[] = []
  let bytes = 0
  for (const event of events) {
    if (!types.has(event.type)) continue
    const record = outgoing(event)
    const size = Math.min(record.bytes, MAX_EVENT_BYTES)
    const before = records.at(-1)
    if (before !== undefined && bytes + size > MAX_BYTES) {
      portions.push({ records, to: before.event.position })
      records = []
      bytes = 0
    }
    records.push(record)
    bytes += size
  }
  return [...portions, { records, to: end }]
}
