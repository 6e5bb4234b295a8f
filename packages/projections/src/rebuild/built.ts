import type { Position } from '@tidings/event-store'
import type { ParkedEvent } from '../follow/parking.ts'
import type { AnyProjection } from '../projection.ts'
import { type Generation, plainName } from '../sql/ddl.ts'
import type { Queryable } from '../sql/load-rows.ts'

/** The generations that stand beside the live tables, and are brought up to date when they are needed. */
export type Beside = Extract<Generation, 'next' | 'previous'>

/** `parked`: rows of `ops.parked_stream`, as JSON. `expired`: they may not be brought back any more. */
export type Built = Readonly<{ version: number; position: Position; parked: readonly ParkedRow[]; builtAt: Date; expired: boolean }>

type ParkedRow = Readonly<{ stream: string }>

type Row = Readonly<{ version: number; commit: bigint; prepare: bigint; parked: readonly ParkedRow[]; builtAt: Date; expired: boolean }>

/** Null where no such tables stand beside the live ones. */
export async function readBuilt(db: Queryable, projection: string, generation: Beside): Promise<Built | null> {
  const { rows } = await db.query<Row>(
    `select version, position_commit as commit, position_prepare as prepare, parked, built_at as "builtAt",
       coalesce(expires_at < clock_timestamp(), false) as expired
     from ops.projection_build where projection = $1 and generation = $2`,
    [projection, generation],
  )
  if (rows[0] === undefined) return null
  const { commit, prepare, ...row } = rows[0]
  return { ...row, position: { commit, prepare } }
}

/** The tables are beside the live ones, and hold everything up to `position`. */
export async function saveNext(db: Queryable, projection: AnyProjection, at: SavedAt): Promise<void> {
  await db.query(
    `insert into ops.projection_build (projection, generation, version, position_commit, position_prepare, tables, parked)
     values ($1, 'next', $2, $3, $4, $5, $6)`,
    [projection.name, projection.version, at.position.commit, at.position.prepare, tablesOf(projection, 'next'), parkedJson(at.parked)],
  )
}

type SavedAt = Readonly<{ position: Position; parked: readonly ParkedEvent[] }>

/** In the transaction that brought the tables there. `parked` is what was parked on the way. */
export async function saveReached(db: Queryable, projection: string, { generation, position, parked }: SavedAt & Of): Promise<void> {
  await db.query(
    `update ops.projection_build set position_commit = $3, position_prepare = $4, parked = parked || $5::jsonb
     where projection = $1 and generation = $2`,
    [projection, generation, position.commit, position.prepare, parkedJson(parked)],
  )
}

type Of = Readonly<{ generation: Beside }>

/** The tables do not count any more: they are dropped, or became the live ones. */
export async function forgetBuilt(db: Queryable, projection: string, generation: Beside): Promise<void> {
  await db.query('delete from ops.projection_build where projection = $1 and generation = $2', [projection, generation])
}

/** Notes the live tables, with their checkpoint and their parked streams, as those that a swap back brings back. Before the checkpoint moves. */
export async function savePrevious(db: Queryable, projection: AnyProjection, keepHours: number): Promise<void> {
  await db.query(
    `insert into ops.projection_build (projection, generation, version, position_commit, position_prepare, tables, parked, expires_at)
     select c.projection, 'previous', c.version, c.position_commit, c.position_prepare, $2,
       (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from ops.parked_stream p where p.projection = c.projection),
       clock_timestamp() + make_interval(hours => $3)
     from ops.projection_checkpoint c where c.projection = $1`,
    [projection.name, tablesOf(projection, 'previous'), keepHours],
  )
}

/** The parked streams of tables that were beside the live ones become those of the live ones. `more` may repeat some of them. */
export async function restoreParked(
  db: Queryable,
  projection: string,
  parked: readonly unknown[],
  more: readonly ParkedEvent[],
): Promise<void> {
  await db.query('delete from ops.parked_stream where projection = $1', [projection])
  await db.query(
    `insert into ops.parked_stream (projection, stream, revision, position_commit, position_prepare, event_id, event_type, workspace_id, error, parked_at)
     select $1, stream, revision, position_commit, position_prepare, event_id, event_type, workspace_id, error, coalesce(parked_at, now())
     from jsonb_populate_recordset(null::ops.parked_stream, $2::jsonb || $3::jsonb) on conflict do nothing`,
    [projection, JSON.stringify(parked), parkedJson(more)],
  )
}

const tablesOf = ({ tables }: AnyProjection, generation: Beside): readonly string[] => tables.map((table) => plainName(table, generation))

const parkedJson = (parked: readonly ParkedEvent[]): string =>
  JSON.stringify(
    parked.map(({ event, error }) => ({
      stream: event.stream,
      revision: event.revision,
      position_commit: String(event.position.commit),
      position_prepare: String(event.position.prepare),
      event_id: event.id,
      event_type: event.type,
      workspace_id: event.meta.workspaceId,
      error,
    })),
  )
