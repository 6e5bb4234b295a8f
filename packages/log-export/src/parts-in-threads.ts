import { inThreads } from '@tidings/async/threads'
import type { EventLog, MasterKeyTexts } from '@tidings/codec'
import { type EventStore, type LogRange, type Position, rangesOf, readRange } from '@tidings/event-store'
import type { LogSource } from '@tidings/event-store/log-source'
import { opened, sealed, type ToExported } from './exported-event.ts'
import { encodeLines } from './ndjson.ts'
import { type Part, partOf } from './part.ts'
import type { Selection } from './selection.ts'

/** Where threads read the log: its database, and what opens personal data there, which goes to them only where it is asked for. */
export type Readers = Readonly<{ url: string; keys: MasterKeyTexts; threads: number; part?: number }>

/** Events a job. Its lines are 1 to 2 MB. */
const PART = 2_000

const MODULE = new URL('./parts.thread.ts', import.meta.url)

/** `keys` null: as it is stored. */
export type ThreadData = Readonly<{
  source: LogSource
  keys: MasterKeyTexts | null
  known: ReadonlySet<string>
  wanted: Wanted
}>

type Wanted = Readonly<{ page: number; head: Position; until: string | null }>

type Log = Readonly<{ store: Pick<EventStore, 'readAll'>; log: Pick<EventLog, 'decode'> | null; known: ReadonlySet<string> }>

/** Makes the lines of a range, wherever that is done. `log` null: as it is stored. */
export function linesIn({ store, log, known }: Log, { page, head, until }: Wanted): (range: LogRange) => Promise<Part> {
  const toExported: ToExported = log === null ? sealed(known) : opened(log)
  return async (range) => {
    const parts: Part[] = []
    let before = range.after
    for await (const events of readRange((after) => store.readAll(after, page), range)) {
      const to = events.at(-1)?.position ?? before
      const part = await partOf(events, { to, head, before, until }, { toExported, encode: encodeLines })
      parts.push(part)
      if (part.isLast || part.failure !== null) break
      before = to
    }
    return joined(parts, range)
  }
}

/** Nothing was left out of a range whose last part ends it: then the export is at its end, also where no event is. */
const joined = (parts: readonly Part[], { to }: LogRange): Part => {
  const last = parts.at(-1)
  const ended = last !== undefined && (last.isLast || last.failure !== null)
  return {
    bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
    events: parts.reduce((count, { events }) => count + events, 0),
    to: ended ? last.to : to,
    seen: parts.findLast(({ seen }) => seen !== null)?.seen ?? null,
    isLast: last?.isLast ?? false,
    failure: last?.failure ?? null,
  }
}

export type InThreads = Readonly<{
  store: Pick<EventStore, 'readAll'> & Readonly<{ advance: NonNullable<EventStore['advance']> }>
  log: Pick<EventLog, 'decode'>
  known: ReadonlySet<string>
  selection: Selection
  readers: Readers
  range: LogRange
  page: number
}>

/** The lines of a range of the log, in its order; made by threads. */
export function partsInThreads({ store, log, known, selection, readers, range, page }: InThreads): AsyncIterable<Part> {
  const wanted: Wanted = { page, head: range.to, until: selection.until }
  const data: ThreadData = {
    source: { url: readers.url, seen: { position: range.to, event: null } },
    keys: selection.sealed ? null : readers.keys,
    ...{ known, wanted },
  }
  return inThreads(rangesOf(store.advance, range, readers.part ?? PART), {
    ...{ module: MODULE, data, threads: readers.threads },
    here: linesIn({ store, log: selection.sealed ? null : log, known }, wanted),
  })
}
