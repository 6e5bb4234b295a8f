import type { Recorded } from '@tidings/codec'
import { comparePositions, type Position } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'
import { appendsOf } from './appends.ts'
import { MAX_AGE_MS, roughBytes } from './keeping.ts'
import type { Reading } from './reading.ts'
import { happeningsOf, sourceOf, TOLD_TYPES } from './sources.ts'

/** What a delivery says, `data` as JSON. `causeId`: the id of the event it is about, which deliveries of it derive their ids from. */
export type Payload = Readonly<{ causeId: string; event: string; data: string }>

/** Where the cause of a delivery stands, and under which name it is told. */
export type Told = Readonly<{ workspaceId: string; source: string; event: string }>

export type Payloads = Readonly<{
  /** Null when there is nothing to tell: the person is erased, or the event turns out not to be the cause of its append. */
  of: (told: Told) => Promise<Payload | null>
  /** Keeps an append whose end was seen, so that what it tells need not be read and decrypted again. */
  put: (append: readonly Recorded[]) => void
  /** Reads what is about to be asked for, where many of the causes lie side by side: one read instead of one for each. */
  prepare: (told: readonly (Told & Readonly<{ position: Position }>)[]) => Promise<void>
  /** Forgets everything that was put. */
  clear: () => void
}>

const MAX_FRESH_BYTES = 16 * 1024 * 1024
/** What one event says is made once for all of its endpoints that are served within this. */
const MADE_AGE_MS = 1_000
const MAX_MADE = 2_048
/** Fewer causes that are not at hand are read one by one. */
const MANY = 8
/** Events of one read. */
const WINDOW = 256

export const sourceText = ({ stream, revision }: Pick<Recorded, 'stream' | 'revision'>): string => `${stream}@${revision}`

/**
 * What deliveries say, made from the log when they go out: no row holds content, and what is erased in between is not told. The same told
 * twice is the same to the byte. Deliveries of one event to many endpoints share the work.
 */
export function payloads(reading: Reading): Payloads {
  const fresh = new LRUCache<string, readonly Recorded[]>({ maxSize: MAX_FRESH_BYTES, sizeCalculation: roughSize, ttl: MAX_AGE_MS })
  const made = new LRUCache<string, Promise<Payload | null>>({ max: MAX_MADE, ttl: MADE_AGE_MS })

  let cleared = 0

  const put = (append: readonly Recorded[]): void => {
    for (const event of append) fresh.set(sourceText(event), append)
  }

  const isMissing = ({ source, event }: Told): boolean => !fresh.has(source) && !made.has(`${event} ${source}`)

  const make = async (told: Told): Promise<Payload | null> => {
    const { source, event } = told
    const append = fresh.get(source) ?? (await readAppend(reading, told))
    const happening = happeningsOf(append).find(({ name, cause }) => name === event && sourceText(cause) === source)
    if (happening === undefined) return null
    const data = await sourceOf(happening.cause.type)?.data(reading, append, happening)
    return data ? { causeId: happening.cause.id, event, data: JSON.stringify(data) } : null
  }

  return {
    of: (told) => {
      const name = `${told.event} ${told.source}`
      const known = made.get(name)
      if (known) return known
      const payload = make(told)
      made.set(name, payload)
      payload.catch(() => made.delete(name))
      return payload
    },
    put,
    prepare: async (told) => {
      const missing = told.filter(isMissing).sort((a, b) => comparePositions(a.position, b.position))
      const first = missing[0]
      if (first === undefined || new Set(missing.map(({ source }) => source)).size < MANY) return
      const before = cleared
      // Whatever cannot be read is asked for again, alone, and fails there.
      const { events } = await reading.log.readAll(first.position, WINDOW, { types: TOLD_TYPES }).catch(() => ({ events: [] }))
      if (cleared === before) for (const append of appendsOf(events).slice(1, -1)) put(append)
    },
    clear: () => {
      cleared++
      fresh.clear()
      made.clear()
      reading.contacts.clear()
    },
  }
}

const roughSize = (append: readonly Recorded[]): number => append.reduce((sum, { data }) => sum + roughBytes(data as object), 0)

/** Mostly an append is short and ends within the first of these on either side of each of its events; always within the last. */
const REACHES = [4, 32, 250] as const

const readAppend = async ({ log }: Reading, { workspaceId, source }: Told): Promise<readonly Recorded[]> => {
  const at = source.lastIndexOf('@')
  const revision = Number(source.slice(at + 1))
  let append: readonly Recorded[] = []
  for (const reach of REACHES) {
    const from = Math.max(0, revision - reach)
    const limit = revision - from + 1 + reach
    const events = await log.readStream(workspaceId, source.slice(0, at), { from, limit })
    append = appendsOf(events).find((one) => one.some((event) => event.revision === revision)) ?? []
    const mayBeginBefore = from > 0 && append[0] === events[0]
    const mayGoOn = events.length === limit && append.at(-1) === events.at(-1)
    if (!mayBeginBefore && !mayGoOn) break
  }
  return append
}
