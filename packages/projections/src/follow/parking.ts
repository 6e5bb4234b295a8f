import type { Recorded } from '@tidings/codec'
import { Fenced } from '@tidings/jobs'
import type { Pool } from 'pg'
import type { AnyProjection } from '../projection.ts'
import type { Images } from '../row-cache.ts'
import { MOVED_PARAMETERS, type Move, moveValues, movingSql, tableParts, tableValues } from '../sql/commit-batch.ts'
import type { Queryable } from '../sql/load-rows.ts'
import { parameters } from '../sql/write-rows.ts'

/** A stream that a projection skips, from `revision` on, because the event there could not be applied. */
export type ParkedStream = Readonly<{
  projection: string
  stream: string
  revision: number
  eventId: string
  eventType: string
  error: string
  parkedAt: string
}>

export type ParkedEvent = Readonly<{ event: Recorded; error: string }>

const INSERT = `insert into ops.parked_stream
    (projection, stream, revision, position_commit, position_prepare, event_id, event_type, workspace_id, error)`

const values = ({ event, error }: ParkedEvent): readonly unknown[] => [
  event.stream,
  event.revision,
  event.position.commit,
  event.position.prepare,
  event.id,
  event.type,
  event.meta.workspaceId,
  error,
]

/** Parks the event's stream and moves the checkpoint past the event, both or neither. */
export async function park(db: Queryable, projection: AnyProjection, options: Readonly<{ move: Move; parked: ParkedEvent }>) {
  const text = movingSql([
    `parked as (${INSERT} select $1, $8, $9, $10, $11, $12, $13, $14, $15 from moved
      on conflict (projection, stream) do update set error = excluded.error)`,
  ])
  const { rowCount } = await db.query(text, [...moveValues(projection, options.move), ...values(options.parked)])
  if (rowCount === 0) throw new Fenced(`projection ${projection.name} has another owner or was swapped`)
}

/** Replaces, in the transaction of a swap, the events that the live tables could not apply by those that the rebuild could not. */
export async function replaceParked(tx: Queryable, projection: string, parked: readonly ParkedEvent[]): Promise<void> {
  await tx.query('delete from ops.parked_stream where projection = $1', [projection])
  for (const one of parked) await tx.query(`${INSERT} values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, [projection, ...values(one)])
}

/** Writes what the parked events have become and takes the stream off the list, both or neither. */
export async function unpark(
  db: Queryable,
  projection: AnyProjection,
  options: Readonly<{ move: Move; stream: string; images: Images }>,
): Promise<void> {
  const next = parameters(MOVED_PARAMETERS + 1)
  const stream = `$${MOVED_PARAMETERS + 1}`
  const text = movingSql([
    `unparked as (delete from ops.parked_stream where projection = $1 and stream = ${stream} and exists (select 1 from moved))`,
    ...tableParts(projection.tables, next),
  ])
  const rows = projection.tables.flatMap((table) => tableValues(table, options.images.get(table)))
  const { rowCount } = await db.query(text, [...moveValues(projection, options.move), options.stream, ...rows])
  if (rowCount === 0) throw new Fenced(`projection ${projection.name} has another owner or was swapped`)
}

/** The parked streams of one projection, or of all. */
export async function listParked(db: Pool, projection?: string): Promise<readonly ParkedStream[]> {
  const { rows } = await db.query<ParkedStream>(
    `select projection, stream, revision, event_id as "eventId", event_type as "eventType", error,
       to_char(parked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "parkedAt"
     from ops.parked_stream where $1::text is null or projection = $1 order by parked_at, projection, stream`,
    [projection ?? null],
  )
  return rows
}
