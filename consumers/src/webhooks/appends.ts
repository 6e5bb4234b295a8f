import type { Recorded } from '@tidings/codec'

const sameAppend = (a: Recorded, b: Recorded): boolean =>
  a.stream === b.stream && a.meta.requestId === b.meta.requestId && a.meta.causationId === b.meta.causationId && a.meta.at === b.meta.at

/**
 * Splits events of the log where one append ends. Events written to a stream for one request, or for one cause, count as one append,
 * though it took several. Events of an append are adjacent; some of its types may be left out.
 */
export function appendsOf(events: readonly Recorded[]): readonly (readonly Recorded[])[] {
  const appends: Recorded[][] = []
  for (const event of events) {
    const last = appends.at(-1)
    const before = last?.at(-1)
    if (last !== undefined && before !== undefined && sameAppend(before, event)) last.push(event)
    else appends.push([event])
  }
  return appends
}
