import { type AnyTable, columnsOf, type Index } from '../table.ts'
import { baseType } from './array-literal.ts'

/**
 * `live` is what readers see; `next` is built beside it by a rebuild and renamed when it is complete; `previous` is what a swap took out and
 * can bring back. `aside` is the name of the live ones for as long as one transaction exchanges the two.
 */
export type Generation = 'live' | 'next' | 'previous' | 'aside'

const SUFFIX = { live: '', next: '__next', previous: '__old', aside: '__aside' } as const satisfies Record<Generation, string>

export function tableName(table: AnyTable, generation: Generation): string {
  return `read.${plainName(table, generation)}`
}

/** The name within schema `read`. */
export function plainName(table: Readonly<{ name: string }>, generation: Generation): string {
  return table.name + SUFFIX[generation]
}

export function createTable(table: AnyTable, generation: Generation): string {
  const name = plainName(table, generation)
  const columns = columnsOf(table).map(
    ([column, type]) => `${column} ${baseType(type)}${collation(baseType(type))}${type.endsWith('?') ? '' : ' not null'}`,
  )
  return `create table if not exists read.${name} (
  ${columns.join(',\n  ')},
  last_commit bigint not null,
  last_prepare bigint not null,
  constraint ${name}_pkey primary key (${table.key.join(', ')})
) with (fillfactor = ${table.fillfactor ?? 100})`
}

const WORKSPACE = 'workspace_id'

/**
 * Tells the planner of a new table that a workspace has many rows, until its first `analyze`. A plan that is made while a table is empty is kept
 * that long: without statistics each index that begins with the workspace looks as good as the one that finds the row, and the plan may
 * read all rows of a workspace to find one. From Postgres 18 on; before, the first `analyze` ends it.
 */
export function assumeManyRows(table: AnyTable, generation: Generation): string | null {
  if (!columnsOf(table).some(([column]) => column === WORKSPACE)) return null
  const name = plainName(table, generation)
  return `do $$ begin
  if not exists (select from pg_stats where schemaname = 'read' and tablename = '${name}' and attname = '${WORKSPACE}') then
    perform pg_restore_attribute_stats('schemaname', 'read', 'relname', '${name}', 'attname', '${WORKSPACE}', 'inherited', false,
      'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 10::real);
  end if;
exception when undefined_function then null;
end $$`
}

/** Byte order: the same on every machine, and index comparisons cost half of what a locale's do. */
const collation = (type: string): string => (type === 'text' ? ' collate "C"' : '')

export function createIndices(table: AnyTable, generation: Generation): readonly string[] {
  return (table.indices ?? []).map((index) => createIndex(plainName(table, generation), index))
}

const createIndex = (name: string, { name: suffix, on, unique, using, where, settings, needs }: Index): string => {
  const index = `create ${unique === true ? 'unique ' : ''}index if not exists ${name}_${suffix} on read.${name} using ${using ?? 'btree'} (${on})`
  const sql = `${index}${settings === undefined ? '' : ` with (${settings})`}${where === undefined ? '' : ` where ${where}`}`
  return needs === undefined ? sql : wherePossible(sql, needs)
}

/** Postgres also says "undefined object" of an operator class whose extension lies in a schema that is not searched. */
const wherePossible = (sql: string, needs: readonly string[]): string => `do $$ begin
  ${sql};
exception when undefined_object then
  raise warning 'no such index without the extensions ${needs.join(', ')}';
end $$`
