import type { DecodedBatch, EventLog, StreamFilter } from '@tidings/codec'
import type { Position, StreamRange } from '@tidings/event-store'

/** What one thread of a rebuild builds: whole streams, up to `upTo`. `aheadBytes`: of rows in memory that are not written yet. */
export type Part = Readonly<{ ranges: readonly StreamRange[]; upTo: Position; aheadBytes: number }>

export type PartReading = Readonly<{ page: number; filter: Omit<StreamFilter, 'upTo'>; part: Part }>

/**
 * The pages of a part, stream by stream. A page says as its position what share of the ranges is read, which is for the progress only. The last page
 * has no events, and the end of the part as its position.
 */
export async function* partPages(log: EventLog, { page, filter, part }: PartReading): AsyncGenerator<DecodedBatch, void, undefined> {
  const { ranges, upTo } = part
  const { byStream } = log
  if (byStream === undefined) throw new Error('this log cannot be read stream by stream')
  for (const [done, range] of ranges.entries()) {
    const to = { commit: (upTo.commit * BigInt(done)) / BigInt(ranges.length), prepare: 0n }
    for await (const events of byStream.pages(range, page, { ...filter, upTo })) yield { events, to, caughtUp: false }
  }
  yield { events: [], to: upTo, caughtUp: true }
}
