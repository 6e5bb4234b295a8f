import type { PoolClient } from 'pg'
import { RebuildRefused } from '../rebuild/refused.ts'
import { tableName } from '../sql/ddl.ts'
import type { AnyTable } from '../table.ts'

/** The columns of a table beside those of its key. `retyped`: of `both`, those of another type. */
export type ColumnNames = Readonly<{
  hasLive: boolean
  both: readonly string[]
  retyped: readonly string[]
  onlyLive: readonly string[]
  onlyNext: readonly string[]
}>

/** The last event behind a row is no value that a reader sees. */
const UNSEEN = ['last_commit', 'last_prepare']

/** Throws where the live table has not the key of this version: its rows cannot be found in the other. */
export async function columnNames(tx: PoolClient, table: AnyTable): Promise<ColumnNames> {
  const [live, next] = [await typesOf(tx, tableName(table, 'live')), await typesOf(tx, tableName(table, 'next'))]
  const hasLive = live.size > 0
  const sameKey = table.key.every((column) => live.get(column) === next.get(column))
  if (hasLive && !sameKey)
    throw new RebuildRefused(`The live table ${table.name} has another key than the one beside it: they cannot be compared.`)
  const seen = (names: Iterable<string>) => [...names].filter((name) => !table.key.includes(name) && !UNSEEN.includes(name))
  const both = seen(live.keys()).filter((name) => next.has(name))
  return {
    hasLive,
    both,
    retyped: both.filter((name) => live.get(name) !== next.get(name)),
    onlyLive: seen(live.keys()).filter((name) => !next.has(name)),
    onlyNext: seen(next.keys()).filter((name) => !live.has(name)),
  }
}

const typesOf = async (tx: PoolClient, table: string): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await tx.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum`,
    [table],
  )
  return new Map(rows.map(({ name, type }) => [name, type]))
}
