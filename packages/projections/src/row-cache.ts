import { entriesUpTo } from '@tidings/async'
import type { Position } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'
import type { AnyProjection } from './projection.ts'
import type { AnyTable } from './table.ts'

/**
 * A row's last image. `row` is null where there is none (deleted, or looked for and not found).
 * `stored`: whether the table has the row; `unknown` after a `put` without a read before it.
 */
export type Image = Readonly<{ row: object | null; key: readonly string[]; last: Position; stored: boolean | 'unknown' }>

/** Images by table, then by key text. */
export type Images = ReadonlyMap<AnyTable, ReadonlyMap<string, Image>>

/** Rows by key text. */
type ImageCache = Readonly<{
  get: (text: string) => Image | undefined
  set: (text: string, image: Image) => unknown
  delete: (text: string) => unknown
}>

export type RowCache = ReadonlyMap<AnyTable, ImageCache>

const CACHED_ROWS = 2_000

/** How many rows of the table the live owner keeps. */
export function cachedRows(table: AnyTable): number {
  return table.cachedRows ?? CACHED_ROWS
}

/** Images of rows as the tables hold them; valid only while this process owns the projection. */
export function rowCache(projection: AnyProjection): RowCache {
  return new Map(projection.tables.map((table) => [table, new LRUCache<string, Image>(entriesUpTo(cachedRows(table)))]))
}
