import type { Image } from '../row-cache.ts'
import { type AnyTable, type ColumnType, columnsOf, columnType } from '../table.ts'
import { arrayLiteral, arrayType, baseType } from './array-literal.ts'
import { type Generation, tableName } from './ddl.ts'

/** Numbers the parameters of a statement that is put together from parts. */
export type Parameters = Readonly<{ next: () => string }>

export function parameters(used = 0): Parameters {
  let last = used
  return { next: () => `$${++last}` }
}

/** `condition` guards the whole statement; true where a transaction already does. */
export type WriteOptions = Readonly<{ generation: Generation; parameters: Parameters; condition: string }>

/** All rows of a table in one statement, one array a column through unnest. */
const insertSql = (table: AnyTable, { generation, parameters, condition }: WriteOptions): string => {
  const columns = storedColumns(table)
  const names = columns.map(([column]) => column).join(', ')
  const arrays = columns.map(([, type]) => `${parameters.next()}::${arrayType(type)}`)
  return `insert into ${tableName(table, generation)} as t (${names})
    select ${columns.map(unnested).join(', ')} from unnest(${arrays.join(', ')}) u(${names}) where ${condition}`
}

/** The same for rows that may exist; an image that is older than the stored one changes nothing. */
export function upsertSql(table: AnyTable, options: WriteOptions): string {
  const keys = table.key
  const rest = storedColumns(table).flatMap(([column]) => (keys.includes(column) ? [] : [`${column} = excluded.${column}`]))
  return `${insertSql(table, options)}
    on conflict (${keys.join(', ')}) do update set ${rest.join(', ')}
    where (t.last_commit, t.last_prepare) <= (excluded.last_commit, excluded.last_prepare)`
}

/**
 * Does the same for rows of a table that adds: Postgres adds up what several writers write. The rows are in the order of their keys, so that
 * two writers of the same rows wait for each other and never deadlock.
 */
export function addSql(table: AnyTable, options: WriteOptions): string {
  const adds = (table.adds ?? []).map((column) => `${column} = t.${column} + excluded.${column}`)
  const isOlder = '(t.last_commit, t.last_prepare) < (excluded.last_commit, excluded.last_prepare)'
  const later = ['last_commit', 'last_prepare'].map(
    (column) => `${column} = case when ${isOlder} then excluded.${column} else t.${column} end`,
  )
  return `${insertSql(table, options)}
    order by ${table.key.map((column) => `u.${column}`).join(', ')}
    on conflict (${table.key.join(', ')}) do update set ${[...adds, ...later].join(', ')}`
}

export function deleteSql(table: AnyTable, { generation, parameters, condition }: WriteOptions): string {
  const keys = table.key.map((column) => `${parameters.next()}::${arrayType(columnType(table, column))}`)
  const same = table.key.map((column) => `t.${column} = k.${column}`).join(' and ')
  return `delete from ${tableName(table, generation)} t using unnest(${keys.join(', ')}) k(${table.key.join(', ')})
    where ${same} and ${condition}`
}

/** The arrays that `insertSql` and `upsertSql` expect, in their order. */
export function rowValues(table: AnyTable, images: readonly Image[]): readonly string[] {
  const rows = images.map(({ row }) => row ?? {})
  return [
    ...columnsOf(table).map(([column, type]) => arrayLiteral(rows, column, type)),
    `{${images.map(({ last }) => last.commit).join(',')}}`,
    `{${images.map(({ last }) => last.prepare).join(',')}}`,
  ]
}

/** The arrays that `deleteSql` expects. */
export function keyValues(table: AnyTable, images: readonly Image[]): readonly string[] {
  return table.key.map((column, n) => {
    const values = images.map(({ key }) => ({ value: key[n] }))
    return arrayLiteral(values, 'value', columnType(table, column))
  })
}

const storedColumns = (table: AnyTable): readonly (readonly [string, ColumnType])[] => [
  ...columnsOf(table),
  ['last_commit', 'bigint'],
  ['last_prepare', 'bigint'],
]

const unnested = ([column, type]: readonly [string, ColumnType]): string =>
  arrayType(type) === `${baseType(type)}[]` ? `u.${column}` : `u.${column}::${baseType(type)}`
