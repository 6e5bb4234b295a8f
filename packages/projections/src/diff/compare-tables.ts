import type { PoolClient } from 'pg'
import { tableName } from '../sql/ddl.ts'
import type { AnyTable } from '../table.ts'
import { type ColumnNames, columnNames } from './column-names.ts'

/** A row that is not the same in both; `columns` are those that differ where both have it. */
type RowDiff = Readonly<{
  key: Readonly<Record<string, string>>
  in: 'live' | 'next' | 'both'
  columns: readonly string[]
  live?: Readonly<Record<string, unknown>>
  next?: Readonly<Record<string, unknown>>
}>

/** Numbers of rows, by key. `columns`: those that only one of the two has; they are not compared. */
export type TableDiff = Readonly<{
  table: string
  equal: number
  onlyLive: number
  onlyNext: number
  different: number
  columns: Readonly<{ onlyLive: readonly string[]; onlyNext: readonly string[] }>
  first: readonly RowDiff[]
}>

type ShownDifferences = Readonly<{ first: number; values: boolean }>

/** Postgres joins them on the key, in its own bounded memory; what comes here is the numbers, and the first rows in the order of the key. */
export async function compareTables(tx: PoolClient, table: AnyTable, shown: ShownDifferences): Promise<TableDiff> {
  const names = await columnNames(tx, table)
  const counts = await countRows(tx, table, names)
  const { onlyLive, onlyNext } = names
  return { table: table.name, ...counts, columns: { onlyLive, onlyNext }, first: await firstRows(tx, table, { names, shown }) }
}

type Counts = Readonly<{ equal: number; onlyLive: number; onlyNext: number; different: number }>

const countRows = async (tx: PoolClient, table: AnyTable, names: ColumnNames): Promise<Counts> => {
  const { rows } = await tx.query<Record<keyof Counts, string>>(
    `select count(*) filter (where l.here and n.here and not (${differs(names)}))::text as equal,
       count(*) filter (where n.here is null)::text as "onlyLive", count(*) filter (where l.here is null)::text as "onlyNext",
       count(*) filter (where l.here and n.here and (${differs(names)}))::text as different
     from ${joined(table, names)}`,
  )
  const number = (name: keyof Counts): number => Number(rows[0]?.[name] ?? 0)
  return { equal: number('equal'), onlyLive: number('onlyLive'), onlyNext: number('onlyNext'), different: number('different') }
}

type DifferenceRow = Readonly<{
  key: readonly string[]
  live: object | null
  next: object | null
  in: RowDiff['in']
  columns: readonly string[]
}>

const firstRows = async (
  tx: PoolClient,
  table: AnyTable,
  of: Readonly<{ names: ColumnNames; shown: ShownDifferences }>,
): Promise<readonly RowDiff[]> => {
  const { names, shown } = of
  const keys = table.key.map((column) => `coalesce(l."${column}", n."${column}")`)
  const columns = names.both.map((column) => `case when l.here and n.here and ${differ(column, names)} then '${column}' end`)
  const values = shown.values ? `to_jsonb(l) - 'here' as live, to_jsonb(n) - 'here' as next` : 'null as live, null as next'
  const { rows } = await tx.query<DifferenceRow>(
    `select array[${keys.map((key) => `${key}::text`).join(', ')}] as key, ${values},
       case when n.here is null then 'live' when l.here is null then 'next' else 'both' end as in,
       array_remove(array[${columns.join(', ')}]::text[], null) as columns
     from ${joined(table, names)} where l.here is null or n.here is null or ${differs(names)}
     order by ${keys.join(', ')} limit $1`,
    [shown.first],
  )
  return rows.map((row) => ({
    key: Object.fromEntries(table.key.map((column, n) => [column, row.key[n] ?? ''])),
    in: row.in,
    columns: row.columns,
    ...(shown.values && { live: valuesOf(row, 'live'), next: valuesOf(row, 'next') }),
  }))
}

/** The columns that differ, or all where only one of the two has the row. */
const valuesOf = (row: DifferenceRow, side: 'live' | 'next'): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(row[side] ?? {}).filter(([column]) => row.in !== 'both' || row.columns.includes(column)))

const joined = (table: AnyTable, { hasLive }: ColumnNames): string => {
  const on = table.key.map((column) => `l."${column}" = n."${column}"`).join(' and ')
  const next = tableName(table, 'next')
  const live = hasLive
    ? `select true as here, t.* from ${tableName(table, 'live')} t`
    : `select true as here, t.* from ${next} t where false`
  return `(${live}) l full join (select true as here, t.* from ${next} t) n on ${on}`
}

const differs = (names: ColumnNames): string => names.both.map((column) => differ(column, names)).join(' or ') || 'false'

const differ = (column: string, { retyped }: ColumnNames): string => {
  const cast = retyped.includes(column) ? '::text' : ''
  return `l."${column}"${cast} is distinct from n."${column}"${cast}`
}
