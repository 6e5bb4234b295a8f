import { inThreads, joinedBytes } from '@tidings/async/threads'
import type { EventLog } from '@tidings/codec'
import type { ThreadSource } from '@tidings/codec/log-in-thread'
import { comparePositions, type EventStore, type LogRange, type Position, rangesOf, readRange } from '@tidings/event-store'
import { encoded } from './encoding.ts'
import { opened } from './exported-event.ts'
import { ndjson } from './ndjson.ts'
import { type Part, partOf } from './part.ts'

/** `module`: of a thread that knows other event types than Tidings. `part`: how many events are one job. */
export type OpeningThreads = ThreadSource & Readonly<{ count: number; module?: URL; part?: number }>

/** The place and the time that nothing behind is wanted of. */
type End = Readonly<{ head: Position; until: string | null }>

export type OpeningData = Readonly<{ source: ThreadSource; end: End }>

/** Opened events are many small objects: in small pages they die in the young heap, as in a rebuild. */
export const OPENED_PAGE = 250

/** Some 0.35 MB of lines; events of up to 16 KB fit in a part. */
const PART = 500
/** A part ends with the page that brings it here, which has 16 MB at most; what is left of its range is opened part by part, in the thread of the caller. */
const PART_BYTES = 8 * 1024 * 1024

const MODULE = new URL('./opened-parts.thread.ts', import.meta.url)

type Stores = Readonly<{ store: Pick<EventStore, 'readAll'>; log: Pick<EventLog, 'decode'> }>

/** Makes the beginning of a range a part of the file, wherever that is done: up to its end, what is not wanted any more, or cannot be exported, or is much. */
export function openedPart({ store, log }: Stores, { head, until }: End): (range: LogRange) => Promise<Part> {
  const toBytes = encoded(opened(log), ndjson())
  return async ({ after, to }) => {
    const parts: Part[] = []
    let bytes = 0
    for await (const events of readRange((from) => store.readAll(from, OPENED_PAGE), { after, to })) {
      const before = parts.at(-1)?.to ?? after
      const part = await partOf(events, { to: events.at(-1)?.position ?? before, head, before, until }, toBytes)
      parts.push(part)
      bytes += part.bytes.length
      if (part.isLast || part.failure !== null || bytes >= PART_BYTES) return joined(parts, after)
    }
    // The range may end with places that no reader is shown.
    return { ...joined(parts, after), to, isLast: comparePositions(to, head) >= 0 }
  }
}

const joined = (parts: readonly Part[], after: Position): Part => {
  const last = parts.at(-1)
  return {
    bytes: joinedBytes(parts.map(({ bytes }) => bytes)),
    events: parts.reduce((sum, { events }) => sum + events, 0),
    to: last?.to ?? after,
    seen: parts.findLast(({ seen }) => seen !== null)?.seen ?? null,
    isLast: last?.isLast ?? false,
    failure: last?.failure ?? null,
  }
}

type Opening = Stores &
  Readonly<{
    threads: OpeningThreads
    advance: NonNullable<EventStore['advance']>
    after: Position
    head: Position
    selection: Pick<End, 'until'>
    lost: AbortSignal
  }>

/** The log behind a place as parts of the file, in its order: opened by threads where it is long enough. */
export async function* openedParts(opening: Opening): AsyncGenerator<Part, void, undefined> {
  const { threads, advance, after, head, selection, lost } = opening
  const { count, module = MODULE, part: width = PART, url, masterKeys, replicas } = threads
  const end: End = { head, until: selection.until }
  const here = openedPart(opening, end)
  const ranges = rangesOf(advance, { after, to: head }, width)
  const done = inThreads(ranges, {
    ...{ module, threads: count, here, signal: lost },
    data: { source: { url, masterKeys, replicas, seen: { position: head, event: null } }, end } satisfies OpeningData,
  })
  for await (const { job, result } of done) yield* wholeRange(result, job.to, here)
}

/** A part, and what is left of its range. */
async function* wholeRange(first: Part, to: Position, open: (range: LogRange) => Promise<Part>): AsyncGenerator<Part, void, undefined> {
  for (let part = first; ; ) {
    yield part
    if (part.isLast || part.failure !== null || part.to === null || comparePositions(part.to, to) >= 0) return
    part = await open({ after: part.to, to })
  }
}
