import { createBatchLoader } from '@tidings/async'
import { type Recorded, roughSize } from '@tidings/codec'
import type { DomainEvent } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'
import { createInvalidations } from './invalidations.ts'
import { type LogView, NOT_FOLLOWED } from './log-view.ts'
import { createTagIndex } from './tag-index.ts'

/** `position`: the checkpoint of the rows' projections when the rows were read, or before. */
export type LoadedRows<T> = Readonly<{ rows: ReadonlyMap<string, T>; position: Position }>

type NamesIn<Type extends DomainEvent['type']> = (event: Recorded<Extract<DomainEvent, { type: Type }>>) => readonly string[]

/** The keys and tags that an event of each type changes. Only events of types that change any are decrypted. */
type Invalidates = Readonly<{ [Type in DomainEvent['type']]?: NamesIn<Type> | 'nothing' }>

/** The same of every event of these types, by what is not sealed: for streams whose events are few. */
type InvalidatedByAll = Readonly<{ types: readonly string[]; names: (meta: Recorded['meta']) => readonly string[] }>

/** Like `Invalidates`, for every event type of some streams: a type that is added later does not compile until it is decided. */
export type ChangedBy<E extends DomainEvent> = Readonly<{ [Type in E['type']]: NamesIn<Type> | 'nothing' }>

export type ReferenceCacheOptions<T> = Readonly<{
  /** Counts for metrics. */
  name: string
  load: (keys: readonly string[]) => Promise<LoadedRows<T>>
  invalidates: Invalidates | InvalidatedByAll
  /** Other names under which events may change the row, e.g. the contact's id for a row that is found by email. */
  tagsOf?: (row: T) => readonly string[]
  max?: number
}>

export type ReferenceCache<T> = LogView &
  Readonly<{
    name: string
    /** The row, or null when there is none: without a promise when it is cached, else from a query that concurrent callers share. */
    get: (key: string) => T | null | Promise<T | null>
    /** Counts since the start. `bypassed`: asked while the follower was not caught up. */
    counts: () => Readonly<{ hits: number; misses: number; bypassed: number; size: number }>
  }>

const MAX_BYTES = 8 * 1024 * 1024
const KEYS_A_QUERY = 500
/** Under load each request begins in a turn of its own: without a limit a row that is not cached would cost a query of its own, and a connection. */
const QUERIES_AT_ONCE = 2

/**
 * Rows of the read models that decisions read beside their own stream. A cached row is used only while the follower is caught up. A loaded row
 * is cached only when it is certain that no event changed it since the checkpoint of its projection, and never in place of a newer one.
 * A missing row is never cached: its creation would have to be noticed.
 */
export function createReferenceCache<T extends object>(options: ReferenceCacheOptions<T>): ReferenceCache<T> {
  const { name, invalidates } = options
  const rows = createRows(options)
  const counts = { hits: 0, misses: 0, bypassed: 0 }
  let follower = NOT_FOLLOWED
  const changed = createInvalidations({ max: 2 * rows.max, since: () => follower.since() })

  const load = createBatchLoader<string, LoadedRows<T>, T | null>({
    load: options.load,
    maxKeys: KEYS_A_QUERY,
    atOnce: QUERIES_AT_ONCE,
    pick: (answer, key) => {
      const row = answer.rows.get(key) ?? null
      if (row !== null && changed.noneAfter(answer.position, rows.namesOf(key, row))) rows.put(key, row, answer.position)
      return row
    },
  })

  return {
    name,
    types: typesOf(invalidates),
    attach: (attached) => {
      follower = attached
    },
    apply: (event) => {
      for (const changedName of namesIn(invalidates, event)) {
        changed.note(changedName, event.position)
        rows.remove(changedName)
      }
    },
    get: (key) => {
      const isCaughtUp = follower.isCaughtUp()
      const row = isCaughtUp ? rows.get(key) : undefined
      if (row === undefined) {
        counts[isCaughtUp ? 'misses' : 'bypassed']++
        return load(key)
      }
      counts.hits++
      return row
    },
    counts: () => ({ ...counts, size: rows.size() }),
  }
}

type CachedRow<T> = Readonly<{ row: T; position: Position }>

/** The cached rows by key and by tag. */
function createRows<T extends object>(options: ReferenceCacheOptions<T>) {
  const { tagsOf = () => [], max = 10_000 } = options
  const tags = createTagIndex()
  const cached = new LRUCache<string, CachedRow<T>>({
    max,
    maxSize: MAX_BYTES,
    maxEntrySize: Math.ceil(MAX_BYTES / 8),
    sizeCalculation: ({ row }, key) => key.length + roughSize(row),
    dispose: ({ row }, key) => tags.remove(key, tagsOf(row)),
  })
  return {
    max,
    size: () => cached.size,
    get: (key: string): T | undefined => cached.get(key)?.row,
    /** Every name under which an event may change the row. */
    namesOf: (key: string, row: T): readonly string[] => [key, ...tagsOf(row)],
    /** Keeps the newer of the two. */
    put: (key: string, row: T, position: Position): void => {
      const before = cached.peek(key)
      if (before !== undefined && comparePositions(before.position, position) > 0) return
      cached.set(key, { row, position })
      if (cached.has(key)) tags.add(key, tagsOf(row))
    },
    /** Removes the row of this key and the rows with this tag. */
    remove: (changed: string): void => {
      for (const key of tags.keysOf(changed)) cached.delete(key)
      cached.delete(changed)
    },
  }
}

const isByAll = (invalidates: Invalidates | InvalidatedByAll): invalidates is InvalidatedByAll => 'names' in invalidates

const typesOf = (invalidates: Invalidates | InvalidatedByAll): readonly string[] =>
  isByAll(invalidates) ? invalidates.types : Object.entries(invalidates).flatMap(([type, names]) => (names === 'nothing' ? [] : [type]))

/** The edge where an event gets the type that its name says. */
const namesIn = (invalidates: Invalidates | InvalidatedByAll, event: Recorded): readonly string[] => {
  if (isByAll(invalidates)) return invalidates.names(event.meta)
  const names = invalidates[event.type as DomainEvent['type']] as ((event: Recorded) => readonly string[]) | 'nothing' | undefined
  return typeof names === 'function' ? names(event) : []
}
