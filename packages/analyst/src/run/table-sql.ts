import { arrayLiteral } from '@tidings/projections/array-literal'
import pg from 'pg'
import { type AnyTable, baseType } from '../table.ts'

const { escapeIdentifier } = pg

/** A row of the batch: null where it is deleted. `key` are the values of the key's columns. */
export type Change = Readonly<{ key: readonly unknown[]; row: object | null }>

export type Statement = Readonly<{ text: string; values: readonly string[] }>

const TRAVELS_AS_TEXT: ReadonlySet<string> = new Set(['text[]', 'jsonb'])

const nameIn = (schema: string, { name }: AnyTable): string => `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`
const columnsOf = (table: AnyTable): readonly (readonly [string, string])[] =>
  Object.entries(table.columns).map(([column, type]) => [column, baseType(type)] as const)
const typeOf = (table: AnyTable, column: string): string => baseType(table.columns[column] ?? '')
const listed = (names: readonly string[]): string => names.map(escapeIdentifier).join(', ')
const arrayOf = (type: string): string => (TRAVELS_AS_TEXT.has(type) ? 'text[]' : `${type}[]`)
/** Text is quoted, and Postgres reads the quoted text of any type. */
const literal = (rows: readonly object[], column: string, type: string): string =>
  arrayLiteral(rows, column, type === 'jsonb' || type === 'text[]' ? type : 'text')

export function createTableSql(schema: string, table: AnyTable): string {
  const columns = Object.entries(table.columns).map(
    ([column, type]) => `${escapeIdentifier(column)} ${baseType(type)}${type.endsWith('?') ? '' : ' not null'}`,
  )
  return `create table ${nameIn(schema, table)} (${columns.join(', ')}, primary key (${listed(table.key)}))`
}

/** Inserts rows or replaces them, one array a column. */
export function upsert(schema: string, table: AnyTable, rows: readonly object[]): Statement {
  const columns = columnsOf(table)
  const names = columns.map(([column]) => column)
  const arrays = columns.map(([, type], n) => `$${n + 1}::${arrayOf(type)}`)
  const chosen = columns.map(([column, type]) => `u.${escapeIdentifier(column)}${TRAVELS_AS_TEXT.has(type) ? `::${type}` : ''}`)
  const rest = names
    .filter((column) => !table.key.includes(column))
    .map((column) => `${escapeIdentifier(column)} = excluded.${escapeIdentifier(column)}`)
  return {
    text: `insert into ${nameIn(schema, table)} (${listed(names)}) select ${chosen.join(', ')} from unnest(${arrays.join(', ')}) u(${listed(names)})
      on conflict (${listed(table.key)}) do ${rest.length === 0 ? 'nothing' : `update set ${rest.join(', ')}`}`,
    values: columns.map(([column, type]) => literal(rows, column, type)),
  }
}

const keyArrays = (table: AnyTable, keys: readonly (readonly unknown[])[]): Readonly<{ values: readonly string[]; arrays: string }> => ({
  arrays: table.key.map((column, n) => `$${n + 1}::${arrayOf(typeOf(table, column))}`).join(', '),
  values: table.key.map((column, n) =>
    literal(
      keys.map((key) => ({ value: key[n] })),
      'value',
      typeOf(table, column),
    ),
  ),
})

const sameKey = (table: AnyTable): string =>
  table.key.map((column) => `t.${escapeIdentifier(column)} = k.${escapeIdentifier(column)}`).join(' and ')

export function remove(schema: string, table: AnyTable, keys: readonly (readonly unknown[])[]): Statement {
  const { arrays, values } = keyArrays(table, keys)
  return { text: `delete from ${nameIn(schema, table)} t using unnest(${arrays}) k(${listed(table.key)}) where ${sameKey(table)}`, values }
}

/** What a fold gets: numbers that fit as numbers, times as ISO texts, the rest as JSON has it or as text. */
const selected = ([column, type]: readonly [string, string]): string => {
  const name = `t.${escapeIdentifier(column)}`
  if (type === 'timestamptz') return `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${escapeIdentifier(column)}`
  return type === 'date' || type === 'bigint' ? `${name}::text as ${escapeIdentifier(column)}` : name
}

/** Names no column: `NAME` has no such sign. */
const ORDINAL = '#'

/** Reads the rows of these keys; a key without a row has no line. */
export function selectByKeys(schema: string, table: AnyTable, keys: readonly (readonly unknown[])[]): Statement {
  const { arrays, values } = keyArrays(table, keys)
  const chosen = [`k.${escapeIdentifier(ORDINAL)}`, ...columnsOf(table).map(selected)]
  return {
    text: `select ${chosen.join(', ')} from unnest(${arrays}) with ordinality k(${listed([...table.key, ORDINAL])})
      join ${nameIn(schema, table)} t on ${sameKey(table)}`,
    values,
  }
}

/** A line of `selectByKeys`: which of the keys it is of, from 0, and the row as a fold wrote it. */
export function lineOf(
  table: AnyTable,
  { [ORDINAL]: ordinal, ...row }: Readonly<Record<string, unknown>>,
): Readonly<{ index: number; row: object }> {
  const bigints = columnsOf(table).filter(([column, type]) => type === 'bigint' && row[column] !== null)
  return {
    index: Number(ordinal) - 1,
    row: { ...row, ...Object.fromEntries(bigints.map(([column]) => [column, BigInt(String(row[column]))])) },
  }
}
