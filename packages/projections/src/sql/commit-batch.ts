import type { Position } from '@tidings/event-store'
import { Fenced } from '@tidings/jobs'
import type { AnyProjection } from '../projection.ts'
import type { Image, Images } from '../row-cache.ts'
import type { AnyTable } from '../table.ts'
import type { Queryable } from './load-rows.ts'
import { noticeSql } from './notice.ts'
import { deleteSql, keyValues, type Parameters, parameters, rowValues, upsertSql } from './write-rows.ts'

/** Notifies other processes of the position of each projection: `<name> <commit> <prepare> <seal>`. */
export const CHANNEL = 'tidings_projection'

/** The move of the checkpoint that comes with the rows. */
export type Move = Readonly<{ epoch: bigint; from: Position; to: Position }>

export type CommitBatch = (db: Queryable, move: Move, images: Images) => Promise<void>

/**
 * Writes a batch in one statement, so one round trip and one transaction: the checkpoint's compare-and-set first, and only
 * where it holds the rows of every table, then one NOTIFY. Throws `Fenced` when it does not hold: another owner has the projection, or a
 * rebuild has swapped its tables.
 *
 * The commit does not wait for the disk: rows and checkpoint are lost together, and the log, which does wait, has the events.
 */
export function commitBatch(projection: AnyProjection): CommitBatch {
  const { tables, name, version } = projection
  const all = { name: `commit ${name} ${version}`, text: batchSql(tables, tableParts), values: tableValues }
  // Few batches delete anything, and what a statement might have deleted costs it as much as what it writes.
  const written = { name: `commit ${name} ${version}, nothing deleted`, text: batchSql(tables, writtenParts), values: writtenValues }
  const none = { name: `move ${name} ${version}`, text: movingSql([]), values: () => [] }
  return async (db, move, images) => {
    const { values, ...statement } = images.size === 0 ? none : hasDeleted(images) ? all : written
    const rows = tables.flatMap((table) => values(table, images.get(table)))
    const { rowCount } = await db.query({ ...statement, values: [...moveValues(projection, move), ...rows] })
    if (rowCount === 0) throw new Fenced(`projection ${projection.name} has another owner or was swapped`)
  }
}

/** The parameters `$1` to `$7` of every statement that starts with `MOVED`. */
export function moveValues(projection: AnyProjection, { epoch, from, to }: Move): readonly unknown[] {
  return [projection.name, projection.version, epoch, from.commit, from.prepare, to.commit, to.prepare]
}

const MOVED = `moved as (
    update ops.projection_checkpoint set position_commit = $6, position_prepare = $7, updated_at = now()
    where projection = $1 and version = $2 and epoch = $3 and position_commit = $4 and position_prepare = $5
    returning 1)`

/** `parts` are further common table expressions, each guarded by `exists (select 1 from moved)`. */
export function movingSql(parts: readonly string[]): string {
  return `with ${[MOVED, ...parts].join(',\n  ')}
  select set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', ${noticeSql('$1::text', '$6::bigint', '$7::bigint')}) from moved`
}

export const MOVED_PARAMETERS = 7

/** The writes of every table as common table expressions, numbered after the move's parameters. */
export function tableParts(tables: readonly AnyTable[], next: Parameters): readonly string[] {
  const options = { ...GUARDED, parameters: next }
  return tables.flatMap((table, n) => [`written${n} as (${upsertSql(table, options)})`, `deleted${n} as (${deleteSql(table, options)})`])
}

const GUARDED = { generation: 'live', condition: 'exists (select 1 from moved)' } as const

const writtenParts: typeof tableParts = (tables, next) =>
  tables.map((table, n) => `written${n} as (${upsertSql(table, { ...GUARDED, parameters: next })})`)

type Values = (table: AnyTable, images: ReadonlyMap<string, Image> | undefined) => readonly string[]

const writtenValues: Values = (table, images) =>
  rowValues(
    table,
    [...(images?.values() ?? [])].filter(({ row }) => row !== null),
  )

/** A row that its batch has created and deleted was never in the table. */
const isDeleted = ({ row, stored }: Image): boolean => row === null && stored !== false

const hasDeleted = (images: Images): boolean => [...images.values()].some((rows) => [...rows.values()].some(isDeleted))

export function tableValues(table: AnyTable, images: ReadonlyMap<string, Image> | undefined): readonly string[] {
  const all = images === undefined ? [] : [...images.values()]
  return [
    ...rowValues(
      table,
      all.filter(({ row }) => row !== null),
    ),
    ...keyValues(table, all.filter(isDeleted)),
  ]
}

const batchSql = (tables: readonly AnyTable[], parts: typeof tableParts): string => movingSql(parts(tables, parameters(MOVED_PARAMETERS)))
