import { createGenerations } from '@tidings/async'
import type { EventMeta } from './event-log.ts'

/** A decoded event, in today's shape. Never that of an erased subject. */
export type Decoded = Readonly<{ data: unknown; meta: EventMeta }>

/** The stored texts of an event. */
type Stored = Readonly<{ id: string; data: string; meta: string }>

type Entry = Readonly<{ stored: Stored; decoded: Decoded }>

/** Remembers decoded events by id for the short time in which several readers of one process read them. */
export type Memo = Readonly<{
  /** Returns only what was decoded from exactly these texts. */
  get: (event: Stored) => Decoded | undefined
  /** Counts how often it was cleared. Note it before asking for the keys of what is to be set. */
  epoch: () => number
  /** Nothing where it was cleared since `epoch`: the keys may be of a person that was erased meanwhile. */
  set: (event: Stored, decoded: Decoded, epoch: number) => void
  delete: (id: string) => void
  clear: () => void
}>

export type MemoLimits = Readonly<{ maxEvents: number; maxBytes: number; maxAgeMs: number }>

/** Measured: 10 KB an email whose texts have 3.8 KB, 1.2 KB a small event. */
const weigh = ({ data, meta }: Stored): number => 2.5 * (data.length + meta.length) + 800

/** Personal data in clear is dropped after twice `maxAgeMs`, also in an idle process. */
export function createMemo({ maxEvents, maxBytes, maxAgeMs }: MemoLimits): Memo {
  const entries = createGenerations<Entry>({ maxEntries: maxEvents, maxBytes, ageMs: maxAgeMs, sizeOf: ({ stored }) => weigh(stored) })
  let cleared = 0
  return {
    get: (event) => {
      const entry = entries.get(event.id)
      return entry?.stored.data === event.data && entry.stored.meta === event.meta ? entry.decoded : undefined
    },
    epoch: () => cleared,
    set: (event, decoded, epoch) => {
      if (epoch === cleared) entries.set(event.id, { stored: event, decoded })
    },
    delete: (id) => void entries.take(id),
    clear: () => {
      cleared++
      entries.clear()
    },
  }
}
