import { inThreads } from '@tidings/async/threads'
import type { EventLog } from '@tidings/codec'
import type { ThreadSource } from '@tidings/codec/log-in-thread'
import { type EventStore, type LogRange, type Position, rangesOf, readRange } from '@tidings/event-store'
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

/** Some 4 MB of lines. */
const PART = 5_000

const MODULE = new URL('./opened-parts.thread.ts', import.meta.url)

type Stores = Readonly<{ store: Pick<EventStore, 'readAll'>; log: Pick<EventLog, 'decode'> }>

/** Makes a range of the log a part of the file, wherever that is done: up to what is not wanted any more, or cannot be exported. */
export function openedPart({ store, log }: Stores, { head, until }: End): (range: LogRange) => Promise<Part> {
  const toBytes = encoded(opened(log), ndjson())
  return async ({ after, to }) => {
    const parts: Part[] = []
    for await (const events of readRange((from) => store.readAll(from, OPENED_PAGE), { after, to })) {
      const before = parts.at(-1)?.to ?? after
      const part = await partOf(events, { to: events.at(-1)?.position ?? before, head, before, until }, toBytes)
      parts.push(part)
      if (part.isLast || part.failure !== null) break
    }
    return joined(parts, after)
  }
}

/** Their bytes in a buffer of its own, which a thread can hand over. */
const joined = (parts: readonly Part[], after: Position): Part => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part.bytes, at)
    at += part.bytes.length
  }
  const last = parts.at(-1)
  return {
    bytes,
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
export function openedParts(opening: Opening): AsyncGenerator<Part, void, undefined> {
  const { threads, advance, after, head, selection, lost } = opening
  const { count, module = MODULE, part = PART, url, masterKeys } = threads
  const end: End = { head, until: selection.until }
  return inThreads(rangesOf(advance, { after, to: head }, part), {
    ...{ module, threads: count, here: openedPart(opening, end), signal: lost },
    data: { source: { url, masterKeys, seen: { position: head, event: null } }, end } satisfies OpeningData,
  })
}
