import type { DecodedBatch, EventLog, TypeFilter } from '@tidings/codec'
import { comparePositions, type Position, type StreamPart } from '@tidings/event-store'

/** The part of a rebuild that one thread builds: some of the streams, up to `to`. `aheadBytes`: of rows in memory that are not written yet. */
export type Part = StreamPart & Readonly<{ to: Position; aheadBytes: number }>

export type PartReading = Readonly<{ after: Position; page: number; filter: TypeFilter; part: Part }>

/** The pages of a part, to exactly its end: what comes behind it in the log is left out. */
export async function* partPages(log: EventLog, { after, page, filter, part }: PartReading): AsyncGenerator<DecodedBatch, void, undefined> {
  const { index, of, to } = part
  for await (const read of log.pages(after, page, { ...filter, part: { index, of } })) {
    const isEnd = comparePositions(read.to, to) >= 0
    yield isEnd ? { ...read, events: read.events.filter(({ position }) => comparePositions(position, to) <= 0), to } : read
    if (isEnd) return
  }
}
