import { OperationFailed } from '@tidings/config'
import { type Position, positionText } from '@tidings/event-store'
import pg, { type ClientBase } from 'pg'
import { CHECKPOINT } from '../table.ts'

/** The source of a schema's rows; another file, workspace or start would make its tables a mixture. */
export type Contents = Readonly<{ projection: string; hash: string; workspaceId: string | null; personal: boolean; from: Position }>

/** `events` counts those that were applied since the schema was made. */
export type Checkpoint = Contents & Readonly<{ position: Position; events: bigint }>

/** Another run has moved the checkpoint: this one has written nothing since, and must not go on. */
class TakenOver extends OperationFailed {}

const tableIn = (schema: string): string => `${pg.escapeIdentifier(schema)}.${CHECKPOINT}`

export async function createCheckpoint(client: ClientBase, schema: string, contents: Contents): Promise<void> {
  const { projection, hash, workspaceId, personal, from } = contents
  await client.query(`create table ${tableIn(schema)} (
    single boolean primary key default true check (single),
    projection text not null, file_sha256 text not null, workspace_id uuid, personal boolean not null,
    from_commit bigint not null, from_prepare bigint not null,
    position_commit bigint not null, position_prepare bigint not null,
    events bigint not null default 0, updated_at timestamptz not null default now())`)
  await client.query(
    `insert into ${tableIn(schema)} (projection, file_sha256, workspace_id, personal, from_commit, from_prepare, position_commit, position_prepare)
     values ($1, $2, $3, $4, $5, $6, $5, $6)`,
    [projection, hash, workspaceId, personal, from.commit, from.prepare],
  )
}

type CheckpointRow = Readonly<
  Record<'projection' | 'file_sha256' | 'from_commit' | 'from_prepare' | 'position_commit' | 'position_prepare' | 'events', string>
> &
  Readonly<{ workspace_id: string | null; personal: boolean }>

/** Null where the schema holds none. */
export async function readCheckpoint(client: ClientBase, schema: string): Promise<Checkpoint | null> {
  const { rows: made } = await client.query<{ made: boolean }>('select to_regclass($1) is not null as made', [tableIn(schema)])
  if (made[0]?.made !== true) return null
  const { rows } = await client.query<CheckpointRow>(`select * from ${tableIn(schema)}`)
  const [row] = rows
  if (row === undefined) return null
  return {
    ...{ projection: row.projection, hash: row.file_sha256, workspaceId: row.workspace_id, personal: row.personal },
    from: { commit: BigInt(row.from_commit), prepare: BigInt(row.from_prepare) },
    position: { commit: BigInt(row.position_commit), prepare: BigInt(row.position_prepare) },
    events: BigInt(row.events),
  }
}

export type Move = Readonly<{ from: Position; to: Position; events: number }>

/** Moves the checkpoint within the transaction of what was applied; only where it still is where this run left it. */
export async function moveCheckpoint(client: ClientBase, schema: string, { from, to, events }: Move): Promise<void> {
  const { rowCount } = await client.query(
    `update ${tableIn(schema)} set position_commit = $3, position_prepare = $4, events = events + $5, updated_at = now()
     where position_commit = $1 and position_prepare = $2`,
    [from.commit, from.prepare, to.commit, to.prepare, events],
  )
  if (rowCount === 1) return
  throw new TakenOver(
    `Another run has gone on from ${positionText(from)} in schema ${schema}: nothing of this batch was kept, and this run has ended.`,
  )
}
