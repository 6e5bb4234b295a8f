import type { ClientBase, Pool } from 'pg'
import type { Image } from '../row-cache.ts'
import type { RowRange } from '../row-range.ts'
import { type AnyTable, columnsOf, columnType } from '../table.ts'
import { arrayType, baseType } from './array-literal.ts'
import { type Generation, tableName } from './ddl.ts'

export type Queryable = Pick<Pool | ClientBase, 'query'>

type StoredRow = Record<string, unknown> & { last_commit: bigint; last_prepare: bigint }

/**
 * Reads the images of these keys, absent ones included, in one statement. The statement has no name on purpose: a cached plan
 * made while the table was small would scan it whole ever after.
 */
export async function loadRows(db: Queryable, table: AnyTable, options: LoadOptions): Promise<readonly Image[]> {
  const keys = [...options.keys.values()]
  const columns = table.key.map((_, n) => keys.map((key) => key[n] ?? null))
  const { rows } = await db.query<StoredRow>(selectByKeys(table, options.generation), columns)
  const found = new Map(rows.map((row) => [keyOf(table, row), row]))
  return keys.map((key) => {
    const row = found.get(key.join('\0'))
    return row === undefined ? { row: null, key, last: { commit: -1n, prepare: -1n }, stored: false } : imageOf(key, row)
  })
}

/** Reads the images of a range in one statement, without a name for the same reason. */
export async function loadRange(db: Queryable, { table, where }: RowRange, generation: Generation): Promise<readonly Image[]> {
  const conditions = Object.keys(where).map((column, n) => `t.${column} = $${n + 1}::${baseType(columnType(table, column))}`)
  const text = `select ${imageColumns(table)} from ${tableName(table, generation)} t where ${conditions.join(' and ')}`
  const { rows } = await db.query<StoredRow>(text, Object.values(where))
  return rows.map((row) =>
    imageOf(
      table.key.map((column) => String(row[column])),
      row,
    ),
  )
}

const imageOf = (key: readonly string[], { last_commit: commit, last_prepare: prepare, ...row }: StoredRow): Image => ({
  row,
  key,
  last: { commit, prepare },
  stored: true,
})

export type LoadOptions = Readonly<{ keys: ReadonlyMap<string, readonly string[]>; generation: Generation }>

const keyOf = (table: AnyTable, row: StoredRow): string => table.key.map((column) => String(row[column])).join('\0')

const selectByKeys = (table: AnyTable, generation: Generation): string => {
  const keys = table.key.map((column, n) => `$${n + 1}::${arrayType(columnType(table, column))}`)
  return `select ${imageColumns(table)} from ${tableName(table, generation)} t
    join unnest(${keys.join(', ')}) k(${table.key.join(', ')}) using (${table.key.join(', ')})`
}

const imageColumns = (table: AnyTable): string =>
  [...columnsOf(table).map(([column, type]) => imageColumn(column, baseType(type))), 't.last_commit', 't.last_prepare'].join(', ')

/** Selects a column as the folds write it: timestamps as ISO texts. A key's column is the same on both sides of the join. */
const imageColumn = (column: string, type: string): string =>
  type === 'timestamptz' ? `to_char(t.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}` : `t.${column}`
