import type { WorkspaceId } from '@tidings/domain'
import { START } from '@tidings/event-store'
import type { LoadedRows } from '@tidings/log-views'
import type { Pool } from 'pg'

type Checkpoint = Readonly<{ position_commit: bigint; position_prepare: bigint }>

export type RowQuery<Row, T> = Readonly<{
  /** Names the prepared statement. */
  name: string
  /** The projections that maintain the tables; the rows are as old as the slowest of them. */
  projections: readonly string[]
  /** Selects rows of `keys(n, …)`, which the parameters from $2 on unnest into; `n` must be among the columns. */
  select: string
  values: (keys: readonly string[]) => readonly (readonly string[])[]
  toEntry: (row: Row) => T
}>

/** One statement reads the rows and how far their projections are: one snapshot, so that neither can be newer than the other. */
export function rowsAtCheckpoint<Row extends Readonly<{ n: number }>, T>(pool: Pool, query: RowQuery<Row, T>) {
  return async (keys: readonly string[]): Promise<LoadedRows<T>> => {
    const text = `with slowest as (
        select position_commit, position_prepare from ops.projection_checkpoint where projection = any($1)
        order by position_commit, position_prepare limit 1)
      select slowest.*, found.* from slowest left join lateral (${query.select}) found on true`
    const { rows } = await pool.query<Row & Checkpoint>({
      name: query.name,
      text,
      values: [query.projections, ...query.values(keys)],
    })
    const first = rows[0]
    const position = first ? { commit: first.position_commit, prepare: first.position_prepare } : START
    const entries = rows.filter(({ n }) => n !== null).map((row) => [keys[row.n - 1] ?? '', query.toEntry(row)] as const)
    return { rows: new Map(entries), position }
  }
}

/** A workspace's record as a cache key; the first part is a UUID. */
export function keyOf(workspaceId: WorkspaceId, id: string): string {
  return `${workspaceId}/${id}`
}

/** The columns of such keys: workspaces, then ids. */
export function splitKeys(keys: readonly string[]): readonly (readonly string[])[] {
  return [keys.map((key) => key.slice(0, 36)), keys.map((key) => key.slice(37))]
}
