import { comparePositions, type Position, START } from '@tidings/event-store'
import type { Rows } from './projection.ts'
import type { Image, RowCache } from './row-cache.ts'
import { isInRange, isRange, type RowRange, rangeText } from './row-range.ts'
import { type AnyTable, keyText, type RowRef, type Table } from './table.ts'

/** A fold asked for a row that `reads` did not name: a mistake in the projection, found by its first test. */
class RowNotRead extends Error {
  override readonly name = 'RowNotRead'
}

/** A row of the batch: `missing` until somebody loads it, `written` when the batch changes it. */
type Entry = {
  readonly table: AnyTable
  readonly text: string
  readonly key: readonly string[]
  row: object | null
  last: Position
  stored: Image['stored']
  state: 'missing' | 'read' | 'written'
}

/** The rows that one event's `reads` named: its fold finds them without making a text of their keys. */
export type NamedEntries = readonly Entry[]

const UNNAMED: NamedEntries = []

/** The rows of one batch over the cache: nothing reaches the cache before the batch is written (`keep`). */
export class WorkingSet implements Rows {
  readonly written = new Map<AnyTable, Map<string, Image>>()
  readonly #cache: RowCache
  readonly #entries = new Map<AnyTable, Map<string, Entry>>()
  readonly #missing = new Map<AnyTable, Map<string, readonly string[]>>()
  readonly #ranges = new Map<AnyTable, Map<string, RowRange>>()
  #named: NamedEntries = UNNAMED
  #at: Position

  constructor(cache: RowCache, at: Position) {
    this.#cache = cache
    this.#at = at
  }

  /** The event whose fold runs next: its position is stamped on what it writes. */
  at(position: Position, named: NamedEntries = UNNAMED): void {
    this.#at = position
    this.#named = named
  }

  /** The rows that an event will look at, out of the cache where it has them. */
  name(refs: readonly (RowRef | RowRange)[]): NamedEntries {
    return refs.flatMap((ref) => {
      if (isRange(ref)) {
        entry(this.#ranges, ref.table).set(rangeText(ref), ref)
        return []
      }
      const { table, key } = ref
      const text = keyText(key)
      const entries = entry(this.#entries, table)
      return [entries.get(text) ?? this.#begin({ table, key, text, entries })]
    })
  }

  /** Whether the events named no row, and their folds changed none. */
  isEmpty(): boolean {
    return this.#entries.size === 0 && this.#ranges.size === 0
  }

  /** The named rows that must be read from their tables before the folds run. */
  missing(): ReadonlyMap<AnyTable, ReadonlyMap<string, readonly string[]>> {
    return this.#missing
  }

  /** The ranges that must be read from their tables before the folds run. */
  ranges(): readonly RowRange[] {
    return [...this.#ranges.values()].flatMap((ranges) => [...ranges.values()])
  }

  load(table: AnyTable, { row, key, last, stored }: Image, text = keyText(key)): void {
    const known = this.#entries.get(table)?.get(text)
    if (known?.state === 'missing') Object.assign(known, { row, last, stored, state: 'read' })
    else if (known === undefined) entry(this.#entries, table).set(text, { table, text, key, row, last, stored, state: 'read' })
  }

  get<Row extends object>(table: Table<Row>, ...key: readonly string[]): Row | undefined {
    const known = this.#find(table, key)
    if (known === undefined || known.state === 'missing')
      throw new RowNotRead(`a fold read ${table.name} ${key.join(' ')} without naming it in reads`)
    return (known.row as Row | null) ?? undefined
  }

  all<Row extends object>(range: RowRange<Row>): readonly Row[] {
    const { table } = range
    if (this.#ranges.get(table)?.has(rangeText(range)) !== true)
      throw new RowNotRead(`a fold read all of ${table.name} of ${rangeText(range)} without naming it in reads`)
    const entries = [...(this.#entries.get(table)?.values() ?? [])]
    return entries.flatMap(({ row }) => (isInRange(range, row) ? [row] : []))
  }

  create<Row extends object>(table: Table<Row>, row: Row): void {
    this.#write(table, keyOf(table, row), row, false)
  }

  put<Row extends object>(table: Table<Row>, row: Row): void {
    this.#write(table, keyOf(table, row), row, 'unknown')
  }

  delete<Row extends object>(table: Table<Row>, ...key: readonly string[]): void {
    this.#write(table, key, null, 'unknown')
  }

  deleteAll<Row extends object>(range: RowRange<Row>): void {
    for (const row of this.all(range)) this.delete(range.table, ...keyOf(range.table, row))
  }

  /** Makes the written images the cached ones: call it when the tables hold them, or will before anybody reads them again. */
  keep(): void {
    for (const [table, images] of this.written) {
      const cache = this.#cache.get(table)
      for (const [text, { row, key, last }] of images) {
        if (row === null) cache?.delete(text)
        else cache?.set(text, { row, key, last, stored: true })
      }
    }
  }

  #begin({ table, key, text, entries }: RowKey): Entry {
    const cached = this.#cache.get(table)?.get(text)
    const begun: Entry =
      cached === undefined
        ? { table, text, key, row: null, last: START, stored: 'unknown', state: 'missing' }
        : { table, text, key, row: cached.row, last: cached.last, stored: cached.stored, state: 'read' }
    entries.set(text, begun)
    if (cached === undefined) entry(this.#missing, table).set(text, key)
    return begun
  }

  #find(table: AnyTable, key: readonly string[]): Entry | undefined {
    return this.#findNamed(table, key) ?? this.#entries.get(table)?.get(keyText(key))
  }

  #findNamed(table: AnyTable, key: readonly string[]): Entry | undefined {
    for (const named of this.#named) if (named.table === table && isSame(named.key, key)) return named
    return undefined
  }

  #write(table: AnyTable, key: readonly string[], row: object | null, otherwise: Image['stored']): void {
    const known = this.#findNamed(table, key) ?? this.#findOrAdd(table, key)
    known.row = row
    if (known.state === 'missing') known.stored = otherwise
    if (comparePositions(known.last, this.#at) < 0) known.last = this.#at
    if (known.state !== 'written') entry(this.written, table).set(known.text, known)
    known.state = 'written'
  }

  #findOrAdd(table: AnyTable, key: readonly string[]): Entry {
    const text = keyText(key)
    const entries = entry(this.#entries, table)
    const found = entries.get(text)
    if (found !== undefined) return found
    const added: Entry = { table, text, key, row: null, last: START, stored: 'unknown', state: 'missing' }
    entries.set(text, added)
    return added
  }
}

type RowKey = Readonly<{ table: AnyTable; key: readonly string[]; text: string; entries: Map<string, Entry> }>

const isSame = (a: readonly string[], b: readonly string[]): boolean => {
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false
  return true
}

const keyOf = (table: AnyTable, row: object): readonly string[] =>
  table.key.map((column) => String((row as Readonly<Record<string, unknown>>)[column]))

const entry = <Value>(maps: Map<AnyTable, Map<string, Value>>, table: AnyTable): Map<string, Value> => {
  let map = maps.get(table)
  if (map === undefined) {
    map = new Map()
    maps.set(table, map)
  }
  return map
}
