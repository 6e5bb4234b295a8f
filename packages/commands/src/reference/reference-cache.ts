import { type Recorded, roughSize } from '@tidings/codec'
import type { DomainEvent } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { batchedLoad } from '@tidings/postgres'
import { LRUCache } from 'lru-cache'
import type { LogFollower } from './follow-log.ts'
import { invalidations } from './invalidations.ts'
import { tagIndex } from './tag-index.ts'

/** `position`: where the projections of the rows stood when the rows were read, or before. */
export type LoadedRows<T> = Readonly<{ rows: ReadonlyMap<string, T>; position: Position }>

/** Which keys and tags an event of each type changes. Events are decrypted for this, and only these types. */
export type Invalidating = Readonly<{
  [Type in DomainEvent['type']]?: (event: Recorded<Extract<DomainEvent, { type: Type }>>) => readonly string[]
}>

export type ReferenceCacheOptions<T> = Readonly<{
  /** For metrics. */
  name: string
  follower: LogFollower
  load: (keys: readonly string[]) => Promise<LoadedRows<T>>
  invalidates: Invalidating
  /** Other names under which events may change the row, e.g. the contact's id for a row that is found by email. */
  tagsOf?: (row: T) => readonly string[]
  max?: number
  maxBytes?: number
}>

export type ReferenceCache<T> = Readonly<{
  name: string
  /** The row, or null when there is none: at once when it is cached, else from one query shared with everybody who asks now. */
  get: (key: string) => T | null | Promise<T | null>
  /** Counts since the start. `bypassed`: asked while the log was not heard. */
  counts: () => Readonly<{ hits: number; misses: number; bypassed: number; size: number }>
}>

type Kept<T> = Readonly<{ row: T; position: Position }>

const KEYS_A_QUERY = 500

/**
 * Rows that decisions read beside their own stream. A cached row is used only while the log was heard within a second, and a loaded row
 * is kept only when nothing is known to have changed it since its projection's position, and never in place of a newer one. What does not
 * exist is never kept: it would have to be noticed when it begins to.
 */
export const referenceCache = <T extends object>(options: ReferenceCacheOptions<T>): ReferenceCache<T> => {
  const { name, follower, tagsOf = () => [], max = 10_000, maxBytes = 8 * 1024 * 1024 } = options
  const tags = tagIndex()
  const changed = invalidations({ max: 2 * max, since: follower.since })
  const rows = new LRUCache<string, Kept<T>>({
    max,
    maxSize: maxBytes,
    maxEntrySize: Math.ceil(maxBytes / 8),
    sizeCalculation: ({ row }, key) => key.length + roughSize(row),
    dispose: ({ row }, key) => tags.remove(key, tagsOf(row)),
  })
  const counts = { hits: 0, misses: 0, bypassed: 0 }

  const keep = (key: string, row: T, position: Position): void => {
    if (!changed.noneAfter(position, [key, ...tagsOf(row)])) return
    const kept = rows.peek(key)
    if (kept !== undefined && comparePositions(kept.position, position) > 0) return
    rows.set(key, { row, position })
    if (rows.has(key)) tags.add(key, tagsOf(row))
  }

  const load = batchedLoad<string, LoadedRows<T>, T | null>({
    load: options.load,
    maxKeys: KEYS_A_QUERY,
    pick: (answer, key) => {
      const row = answer.rows.get(key) ?? null
      if (row !== null) keep(key, row, answer.position)
      return row
    },
  })

  follower.listen({
    types: Object.keys(options.invalidates),
    heard: (event) => {
      for (const changedName of namesIn(options.invalidates, event)) {
        changed.note(changedName, event.position)
        for (const key of tags.keysOf(changedName)) rows.delete(key)
        rows.delete(changedName)
      }
    },
  })

  return {
    name,
    get: (key) => {
      const fresh = follower.isFresh()
      const row = fresh ? rows.get(key)?.row : undefined
      if (row === undefined) {
        counts[fresh ? 'misses' : 'bypassed']++
        return load(key)
      }
      counts.hits++
      return row
    },
    counts: () => ({ ...counts, size: rows.size }),
  }
}

/** The edge where an event gets the type that its name says. */
const namesIn = (invalidates: Invalidating, event: Recorded): readonly string[] => {
  const names = invalidates[event.type as DomainEvent['type']] as ((event: Recorded) => readonly string[]) | undefined
  return names?.(event) ?? []
}
