import type { Recorded } from '@tidings/codec'
import { START } from '@tidings/event-store'
import type { AnyProjection } from '../../src/projection.ts'
import { type Image, rowCache } from '../../src/row-cache.ts'
import { isInRange } from '../../src/row-range.ts'
import type { AnyTable } from '../../src/table.ts'
import { WorkingSet } from '../../src/working-set.ts'

/** The rows that the events leave in each table, by table name: for tests of folds, without a database. */
export function foldAll(projection: AnyProjection, events: readonly Recorded[]): Readonly<Record<string, readonly object[]>> {
  const tables = new Map<AnyTable, Map<string, Image>>(projection.tables.map((table) => [table, new Map()]))
  for (const event of events) foldOne(projection, event, tables)
  return Object.fromEntries([...tables].map(([table, images]) => [table.name, [...images.values()].flatMap(({ row }) => row ?? [])]))
}

/** Each event on its own, with exactly the rows that `reads` asks for: a fold that reads others fails here. */
const foldOne = (projection: AnyProjection, event: Recorded, tables: ReadonlyMap<AnyTable, Map<string, Image>>): void => {
  const rows = new WorkingSet(rowCache(projection), event.position)
  const named = rows.name(projection.reads(event))
  for (const [table, keys] of rows.missing()) {
    for (const [text, key] of keys) rows.load(table, tables.get(table)?.get(text) ?? { row: null, key, last: START, stored: false }, text)
  }
  for (const range of rows.ranges()) {
    for (const [text, image] of tables.get(range.table) ?? []) if (isInRange(range, image.row)) rows.load(range.table, image, text)
  }
  rows.at(event.position, named)
  projection.fold(event, rows)
  for (const [table, images] of rows.written) for (const [text, image] of images) tables.get(table)?.set(text, image)
}
