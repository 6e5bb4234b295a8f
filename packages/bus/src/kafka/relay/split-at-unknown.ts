import { type UnknownEventType, unknownType } from '@tidings/codec'
import type { Batch } from '@tidings/event-store'

/** What of a batch may be published: all of it, or what is before an event of ours of a type that is not `declared`. */
export type Split = Readonly<{ known: Batch | null; unknown: UnknownEventType | null }>

/** Splits a batch before the first event of ours whose type is not declared. Events of other products are passed. */
export function splitAtUnknown(batch: Batch, declared: ReadonlySet<string> | undefined): Split {
  if (declared === undefined) return { known: batch, unknown: null }
  for (const [n, event] of batch.events.entries()) {
    if (declared.has(event.type)) continue
    const unknown = unknownType(event)
    if (!unknown.ours) continue
    const before = batch.events[n - 1]
    return { known: before ? { events: batch.events.slice(0, n), to: before.position, caughtUp: false } : null, unknown }
  }
  return { known: batch, unknown: null }
}
