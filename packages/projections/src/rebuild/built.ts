import { type Position, START } from '@tidings/event-store'
import type { ParkedEvent } from '../follow/parking.ts'
import type { AnyProjection } from '../projection.ts'
import { type Generation, plainName } from '../sql/ddl.ts'
import type { Queryable } from '../sql/load-rows.ts'
import { dropNamed } from './next-tables.ts'

/** The generations that stand beside the live tables, and are brought up to date when they are needed. */
export type Beside = Extract<Generation, 'next' | 'previous'>

/**
 * `tables`: the names of those that are there. `parked`: rows of `ops.parked_stream`, as JSON. `expired`: they do not count, and are dropped.
 */
export type Built = Noted & Readonly<{ position: Position }>

type Noted = Readonly<{ version: number; tables: readonly string[]; parked: readonly ParkedRow[]; builtAt: Date; expired: boolean }>

type ParkedRow = Readonly<{ stream: string }>

type BuiltRow = Noted & Readonly<{ commit: bigint; prepare: bigint }>

/** Null where no such tables stand beside the live ones. */
export async function readBuilt(db: Queryable, projection: string, generation: Beside): Promise<Built | null> {
  const { rows } = await db.query<BuiltRow>(
    `select version, position_commit as commit, position_prepare as prepare, tables, parked, built_at as "builtAt",
       coalesce(expires_at < clock_timestamp(), false) as expired
     from ops.projection_build where projection = $1 and generation = $2`,
    [projection, generation],
  )
  if (rows[0] === undefined) return null
  const { commit, prepare, ...row } = rows[0]
  return { ...row, position: { commit, prepare } }
}

/** Whether they are exactly the tables that this program keeps for the projection. */
export function isOfTables({ tables }: Built, projection: AnyProjection, generation: Beside): boolean {
  const own = new Set(tablesOf(projection, generation))
  return tables.length === own.size && tables.every((table) => own.has(table))
}

/** Drops the tables, also those of another version, with what is noted about them. Leftovers of a rebuild that was killed go with them. */
export async function dropBuilt(db: Queryable, projection: AnyProjection, generation: Beside): Promise<void> {
  const built = await readBuilt(db, projection.name, generation)
  await dropNamed(db, [...(built?.tables ?? []), ...tablesOf(projection, generation)])
  await forgetBuilt(db, projection.name, generation)
}

/**
 * Runs before there is a next table. The tables count as expired until `saveNext`: if the rebuild is killed, they are dropped once its lock is free.
 */
export async function noteBegun(db: Queryable, projection: AnyProjection): Promise<void> {
  await db.query(
    `insert into ops.projection_build (projection, generation, version, position_commit, position_prepare, tables, parked, expires_at)
     values ($1, 'next', $2, $3, $4, $5, '[]', '-infinity')`,
    [projection.name, projection.version, START.commit, START.prepare, tablesOf(projection, 'next')],
  )
}

type WholeBuild = SavedAt & Readonly<{ keepDays: number }>

/** The tables are beside the live ones, and hold everything up to `position`. */
export async function saveNext(db: Queryable, projection: string, { position, parked, keepDays }: WholeBuild): Promise<void> {
  await db.query(
    `update ops.projection_build set position_commit = $2, position_prepare = $3, parked = $4, built_at = now(),
       expires_at = clock_timestamp() + make_interval(days => $5)
     where projection = $1 and generation = 'next'`,
    [projection, position.commit, position.prepare, parkedJson(parked), keepDays],
  )
}

type SavedAt = Readonly<{ position: Position; parked: readonly ParkedEvent[] }>

/** Saves the position in the transaction that brought the tables there. `parked`: streams that were parked on the way. */
export async function saveReached(
  db: Queryable,
  projection: string,
  { generation, position, parked }: SavedAt & OfGeneration,
): Promise<void> {
  await db.query(
    `update ops.projection_build set position_commit = $3, position_prepare = $4, parked = parked || $5::jsonb
     where projection = $1 and generation = $2`,
    [projection, generation, position.commit, position.prepare, parkedJson(parked)],
  )
}

type OfGeneration = Readonly<{ generation: Beside }>

/** The tables do not count any more: they are dropped, or became the live ones. */
export async function forgetBuilt(db: Queryable, projection: string, generation: Beside): Promise<void> {
  await db.query('delete from ops.projection_build where projection = $1 and generation = $2', [projection, generation])
}

type PreviousTables = Readonly<{ tables: readonly string[]; hours: number }>

/**
 * Notes the tables that were live until now, by their new names, with their checkpoint and their parked streams, so that a swap back can
 * restore them. Runs before the checkpoint moves.
 */
export async function savePrevious(db: Queryable, projection: string, { tables, hours }: PreviousTables): Promise<void> {
  await db.query(
    `insert into ops.projection_build (projection, generation, version, position_commit, position_prepare, tables, parked, expires_at)
     select c.projection, 'previous', c.version, c.position_commit, c.position_prepare, $2,
       (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from ops.parked_stream p where p.projection = c.projection),
       clock_timestamp() + make_interval(hours => $3)
     from ops.projection_checkpoint c where c.projection = $1`,
    [projection, tables, hours],
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
