import type { PoolClient } from 'pg'
import type { AnyProjection } from '../projection.ts'
import { createIndices, createTable, type Generation, plainName, tableName } from '../sql/ddl.ts'
import type { Queryable } from '../sql/load-rows.ts'
import type { AnyTable } from '../table.ts'

/**
 * Creates the tables with the primary key only, which later events of a row need. Autovacuum is off until the rows are in: it would analyse
 * and vacuum a growing table again and again. Measured: 6 to 9 µs of Postgres' CPU an event.
 */
export async function createNextTables(db: Queryable, projection: AnyProjection): Promise<void> {
  for (const table of projection.tables) {
    await db.query(createTable(table, 'next'))
    await db.query(`alter table ${tableName(table, 'next')} set (autovacuum_enabled = off, toast.autovacuum_enabled = off)`)
  }
}

/** Makes the indices after the bulk: building an index over all rows costs a fraction of keeping it row by row. */
export async function createNextIndices(db: Queryable, projection: AnyProjection): Promise<void> {
  for (const table of projection.tables) {
    for (const index of createIndices(table, 'next')) await db.query(index)
    await db.query(`alter table ${tableName(table, 'next')} reset (autovacuum_enabled, toast.autovacuum_enabled)`)
    await db.query(`analyze ${tableName(table, 'next')}`)
  }
}

/**
 * Puts the next tables in the place of the live ones. Needs the transaction that also moves the checkpoint, and the exclusive lock on
 * the live tables taken before: renaming asks for it anyway, and in the other order it would deadlock with a projector's statement,
 * which locks its tables before it waits for the checkpoint's row.
 */
export async function renameNextTables(tx: PoolClient, projection: AnyProjection): Promise<void> {
  for (const table of projection.tables) await tx.query(`drop table if exists ${tableName(table, 'live')}`)
  await renameTables(tx, projection, { from: 'next', to: 'live' })
}

/** Drops tables by the names that were noted when they were made: they may be those of another version. */
export async function dropNamed(db: Queryable, names: readonly string[]): Promise<void> {
  for (const name of names) await db.query(`drop table if exists read."${name}"`)
}

export type Renaming = Readonly<{ from: Generation; to: Generation }>

/** Renames under the locks that `renameNextTables` needs. A missing table stays missing: resolves with the new names of the others. */
export async function renameTables(tx: PoolClient, projection: AnyProjection, renaming: Renaming): Promise<readonly string[]> {
  const renamed: string[] = []
  for (const table of projection.tables) {
    const name = plainName(table, renaming.to)
    if (!(await isThere(tx, tableName(table, renaming.from)))) continue
    await tx.query(`alter table ${tableName(table, renaming.from)} rename to ${name}`)
    await renameIndices(tx, table, renaming)
    renamed.push(name)
  }
  return renamed
}

export async function isThere(db: Queryable, table: string): Promise<boolean> {
  const { rows } = await db.query<{ there: boolean }>('select to_regclass($1) is not null as there', [table])
  return rows[0]?.there === true
}

/** Index names are unique in a schema: without this the next rebuild could not use them. The primary key's constraint follows. */
const renameIndices = async (tx: PoolClient, table: AnyTable, { from, to }: Renaming): Promise<void> => {
  const { rows } = await tx.query<{ name: string }>(
    `select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
     where x.indrelid = to_regclass($1) and starts_with(i.relname, $2)`,
    [tableName(table, to), `${plainName(table, from)}_`],
  )
  for (const { name } of rows) {
    await tx.query(`alter index read.${name} rename to ${plainName(table, to)}${name.slice(plainName(table, from).length)}`)
  }
}
