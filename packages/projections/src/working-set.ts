import type { Position } from '@tidings/event-store'
import { comparePositions } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'
import type { AnyProjection, Rows } from './projection.ts'
import { type AnyTable, keyText, type RowRef, type Table } from './table.ts'

/**
 * A row's last image. `row` is null where there is none (deleted, or looked for and not found).
 * `stored`: whether the table has the row; `unknown` after a `put` that nobody read before.
 */
export type Image = Readonly<{ row: object | null; key: readonly string[]; last: Position; stored: boolean | 'unknown' }>

/** Images by table, then by key text. */
export type Images = ReadonlyMap<AnyTable, ReadonlyMap<string, Image>>

/** By key text. */
export type ImageCache = Readonly<{
  get: (text: string) => Image | undefined
  set: (text: string, image: Image) => unknown
  delete: (text: string) => unknown
}>

export type RowCache = ReadonlyMap<AnyTable, ImageCache>

const CACHED_ROWS = 2_000

export const cachedRows = (table: AnyTable): number => table.cachedRows ?? CACHED_ROWS

/** Images of rows as the tables hold them; valid only while this process owns the projection. */
export const rowCache = (projection: AnyProjection, factor = 1): RowCache =>
  new Map(projection.tables.map((table) => [table, new LRUCache<string, Image>({ max: cachedRows(table) * factor })]))

/** A fold asked for a row that `reads` did not name: a mistake in the projection, found by its first test. */
export class RowNotRead extends Error {
  override readonly name = 'RowNotRead'
}

/** The rows of one batch over the cache: nothing reaches the cache before the batch is written (`keep`). */
export class WorkingSet implements Rows {
  readonly written = new Map<AnyTable, Map<string, Image>>()
  readonly #cache: RowCache
  readonly #loaded = new Map<AnyTable, Map<string, Image>>()
  #at: Position

  constructor(cache: RowCache, at: Position) {
    this.#cache = cache
    this.#at = at
  }

  /** The event whose fold runs next: its position is stamped on what it writes. */
  at(position: Position): void {
    this.#at = position
  }

  /** Which of these rows must be read from their tables before the folds run. */
  missing(refs: readonly RowRef[]): Map<AnyTable, Map<string, readonly string[]>> {
    const missing = new Map<AnyTable, Map<string, readonly string[]>>()
    for (const { table, key } of refs) {
      const text = keyText(key)
      const cached = this.#cache.get(table)?.get(text)
      if (cached !== undefined) this.load(table, cached, text)
      else entry(missing, table).set(text, key)
    }
    return missing
  }

  load(table: AnyTable, image: Image, text = keyText(image.key)): void {
    entry(this.#loaded, table).set(text, image)
  }

  get<Row extends object>(table: Table<Row>, ...key: readonly string[]): Row | undefined {
    const image = this.#find(table, keyText(key))
    if (image === undefined) throw new RowNotRead(`a fold read ${table.name} ${key.join(' ')} without naming it in reads`)
    return (image.row as Row | null) ?? undefined
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

  /** Makes the written images the cached ones: call it when the tables hold them, or will before anybody reads them again. */
  keep(): void {
    for (const [table, images] of this.written) {
      const cache = this.#cache.get(table)
      for (const [text, image] of images) {
        if (image.row === null) cache?.delete(text)
        else cache?.set(text, { ...image, stored: true })
      }
    }
  }

  #find(table: AnyTable, text: string): Image | undefined {
    return this.written.get(table)?.get(text) ?? this.#loaded.get(table)?.get(text)
  }

  #write(table: AnyTable, key: readonly string[], row: object | null, otherwise: Image['stored']): void {
    const text = keyText(key)
    const known = this.#find(table, text)
    const last = known !== undefined && comparePositions(known.last, this.#at) > 0 ? known.last : this.#at
    entry(this.written, table).set(text, { row, key, last, stored: known?.stored ?? otherwise })
  }
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
