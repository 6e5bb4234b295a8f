import type { Recorded } from '@tidings/codec'
import { originOf, TEST_EVENT, type WorkspaceId } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'
import { appendsOf } from './appends.ts'
import { MAX_AGE_MS, roughBytes } from './cache-limits.ts'
import { CAUSE_TYPES, dataOf, occurrencesOf } from './occurrences.ts'
import type { PayloadReader } from './payload-reader.ts'
import { readAppend } from './read-append.ts'

/**
 * The payload of a delivery, `data` as JSON. `causeId`: the id of the event it reports, from which the ids of its deliveries are made; `meta` is that event's.
 * A test has no cause in the log, so it has no data and no `meta`.
 */
export type Payload = Readonly<{ causeId: string; event: string; data: string; meta: Recorded['meta'] | null }>

/** What a delivery is made from (domain/src/webhooks/asked-deliveries.ts), and the public name it is reported under. */
type PayloadRef = Readonly<{ workspaceId: WorkspaceId; source: string; event: string }>

export type Payloads = Readonly<{
  /** Null when there is nothing to report: the person is erased, or the event turns out not to be the cause of its append. */
  of: (ref: PayloadRef) => Promise<Payload | null>
  /** Caches a whole append, so that its payloads need no read and no decryption. */
  put: (append: readonly Recorded[]) => void
  /** Reads the causes that are asked for next, where many of them are adjacent: one read instead of one for each. */
  prepare: (refs: readonly (PayloadRef & Readonly<{ position: Position }>)[]) => Promise<void>
  /** Drops everything that is cached. */
  clear: () => void
}>

const MAX_RECENT_BYTES = 16 * 1024 * 1024
/** One payload serves all endpoints of an event within this. */
const MADE_AGE_MS = 1_000
const MAX_MADE = 2_048
/** Causes that are not cached are read one by one if they are fewer than this. */
const MIN_PREPARED = 8
/** Events of one read. */
const WINDOW = 256

export function sourceText({ stream, revision }: Readonly<{ stream: string; revision: number }>): string {
  return `${stream}@${revision}`
}

/**
 * Payloads are made from the log when deliveries go out: no row holds content, and what is erased in between is not reported. A payload
 * that is made twice is the same to the byte. Deliveries of one event to many endpoints share the work.
 */
export function createPayloads(reader: PayloadReader): Payloads {
  const recent = new LRUCache<string, readonly Recorded[]>({
    maxSize: MAX_RECENT_BYTES,
    sizeCalculation: appendBytes,
    ttl: MAX_AGE_MS,
    ttlResolution: 0,
  })
  const made = new LRUCache<string, Promise<Payload | null>>({ max: MAX_MADE, ttl: MADE_AGE_MS, ttlResolution: 0 })

  let cleared = 0

  const put = (append: readonly Recorded[]): void => {
    for (const event of append) recent.set(sourceText(event), append)
  }

  const isMissing = ({ source, event }: PayloadRef): boolean =>
    originOf(source).kind === 'event' && !recent.has(source) && !made.has(`${event} ${source}`)

  const read = ({ workspaceId, source }: PayloadRef): Promise<readonly Recorded[]> => {
    const at = source.lastIndexOf('@')
    const before = cleared
    const place = { workspaceId, stream: source.slice(0, at), revision: Number(source.slice(at + 1)) }
    return readAppend(reader, place, () => cleared === before)
  }

  const make = async (ref: PayloadRef): Promise<Payload | null> => {
    const { source, event } = ref
    const append = recent.get(source) ?? (await read(ref))
    const occurrence = occurrencesOf(append).find(({ name, cause }) => name === event && sourceText(cause) === source)
    if (occurrence === undefined) return null
    const data = await dataOf(reader, append, occurrence)
    return data ? { causeId: occurrence.cause.id, event, data: JSON.stringify(data), meta: occurrence.cause.meta } : null
  }

  return {
    of: async (ref) => {
      const origin = originOf(ref.source)
      if (origin.kind === 'test') return { causeId: origin.testId, event: TEST_EVENT, data: '{}', meta: null }
      const name = `${ref.event} ${origin.source}`
      const known = made.get(name)
      if (known) return await known
      const payload = make({ ...ref, source: origin.source })
      made.set(name, payload)
      payload.catch(() => made.delete(name))
      return await payload
    },
    put,
    prepare: async (refs) => {
      const missing = refs.filter(isMissing).sort((a, b) => comparePositions(a.position, b.position))
      const first = missing[0]
      if (first === undefined || new Set(missing.map(({ source }) => source)).size < MIN_PREPARED) return
      const before = cleared
      // A failed read is repeated for each payload alone, and fails there.
      const { events } = await reader.log.readAll(first.position, WINDOW, { types: CAUSE_TYPES }).catch(() => ({ events: [] }))
      if (cleared === before) for (const append of appendsOf(events).slice(1, -1)) put(append)
    },
    clear: () => {
      cleared++
      recent.clear()
      made.clear()
      reader.contacts.clear()
      reader.erased.clear()
    },
  }
}

const appendBytes = (append: readonly Recorded[]): number => append.reduce((sum, { data }) => sum + roughBytes(data as object), 0)
