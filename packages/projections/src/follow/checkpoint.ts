import type { Position } from '@tidings/event-store'
import type { PoolClient } from 'pg'
import type { AnyProjection } from '../projection.ts'
import { assumeManyRows, createIndices, createTable } from '../sql/ddl.ts'
import type { Queryable } from '../sql/load-rows.ts'

export type Checkpoint = Readonly<{ version: number; epoch: bigint; position: Position }>

type CheckpointRow = { version: number; epoch: bigint; position_commit: bigint; position_prepare: bigint }

/** Null when the projection never ran on this database. With `lock`, no process can move it until the transaction ends. */
export async function readCheckpoint(db: Queryable, projection: string, lock = false): Promise<Checkpoint | null> {
  const { rows } = await db.query<CheckpointRow>(
    `select version, epoch, position_commit, position_prepare from ops.projection_checkpoint where projection = $1${lock ? ' for update' : ''}`,
    [projection],
  )
  const row = rows[0]
  if (row === undefined) return null
  return { version: row.version, epoch: row.epoch, position: { commit: row.position_commit, prepare: row.position_prepare } }
}

/** Empty tables and a checkpoint before the first event, if there are none yet. */
export async function createProjection(tx: PoolClient, projection: AnyProjection): Promise<void> {
  // Two processes that start at once would both find the tables missing, and `if not exists` does not save the second.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`projection ${projection.name}`])
  for (const table of projection.tables) {
    await tx.query(createTable(table, 'live'))
    for (const index of createIndices(table, 'live')) await tx.query(index)
    const assumed = assumeManyRows(table, 'live')
    if (assumed !== null) await tx.query(assumed)
  }
  await tx.query(
    `insert into ops.projection_checkpoint (projection, version, epoch, position_commit, position_prepare)
     values ($1, $2, 0, -1, -1) on conflict do nothing`,
    [projection.name, projection.version],
  )
}

/** Only this epoch moves the checkpoint from now on: an earlier owner of the projection writes nothing any more. */
export async function fence(db: Queryable, projection: string, epoch: bigint): Promise<void> {
  await db.query('update ops.projection_checkpoint set epoch = $2 where projection = $1 and epoch < $2', [projection, epoch])
}
