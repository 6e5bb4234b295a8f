import type { EventLog } from '@tidings/codec'
import { comparePositions, type Position, secondsSince } from '@tidings/event-store'
import type { Pool } from 'pg'
import type { ProjectionState } from '../progress.ts'
import type { Queryable } from '../sql/load-rows.ts'
import type { Failure } from './failure.ts'
import { projectionLeases } from './lease.ts'

/** How far behind the log: in events only where positions are dense (`prepare` is 0), in seconds everywhere. */
export type Lag = Readonly<{ events: bigint | null; seconds: number; rate: number | null; etaSeconds: number | null }>

export type Beat = Readonly<{
  projection: string
  owner: string
  epoch: bigint
  /** Where this owner has brought the checkpoint row. */
  persisted: Position
  state: ProjectionState
  lag: Lag | null
  failure: Failure | null
}>

/** A stream that is parked from `revision` on. */
export type ParkedFrom = Readonly<{ workspaceId: string; stream: string; revision: number }>

/** `fellBack`: a crash of Postgres took the last commits of the tables, which did not wait for the disk. */
export type Heard = Readonly<{ held: boolean; fellBack: boolean; redrive: readonly ParkedFrom[] }>

const SQL = `with renewed as (${projectionLeases.renewSql}),
  status as (
    insert into ops.projection_status as s
      (projection, owner, state, lag_events, lag_seconds, rate, eta_seconds, failure, heartbeat_at)
    select $1, $2, $4, $5, $6, $7, $8, $9, clock_timestamp() from renewed
    on conflict (projection) do update set owner = excluded.owner, state = excluded.state, lag_events = excluded.lag_events,
      lag_seconds = excluded.lag_seconds, rate = excluded.rate, eta_seconds = excluded.eta_seconds,
      failure = excluded.failure, heartbeat_at = excluded.heartbeat_at)
  select exists (select 1 from renewed) as held,
    exists (select 1 from ops.projection_checkpoint
      where projection = $1 and (position_commit, position_prepare) < ($10::bigint, $11::bigint)) as "fellBack", set_config('synchronous_commit', 'off', true),
    (select coalesce(json_agg(json_build_object('workspaceId', workspace_id, 'stream', stream, 'revision', revision)), '[]')
     from ops.parked_stream where projection = $1 and redrive_requested_at is not null) as redrive`

/** Renews the lease and, while it is held, writes the status row; returns which parked streams are to be re-driven. */
export async function beat(db: Queryable, { projection, owner, epoch, persisted, state, lag, failure }: Beat): Promise<Heard> {
  const { rows } = await db.query<Heard>({
    name: 'projection beat',
    text: SQL,
    values: [
      projection,
      owner,
      epoch,
      state,
      lag?.events,
      lag?.seconds,
      lag?.rate,
      lag?.etaSeconds,
      failure,
      persisted.commit,
      persisted.prepare,
    ],
  })
  return rows[0] ?? { held: false, fellBack: false, redrive: [] }
}

/** What happened between two beats; `lastCreated`: when the last event of it was stored. */
export type Stretch = Readonly<{ from: Position; reached: Position; seconds: number; lastCreated: string | null }>

export async function measureLag(log: EventLog, { from, reached, seconds, lastCreated }: Stretch): Promise<Lag> {
  const head = await log.head()
  const behind = comparePositions(reached, head) < 0
  const dense = head.prepare <= 0n && reached.prepare <= 0n
  const events = !behind ? 0n : dense ? head.commit - reached.commit : null
  const rate = dense && seconds > 0 ? Number(reached.commit - from.commit) / seconds : null
  return {
    events,
    seconds: behind && lastCreated !== null ? secondsSince(lastCreated) : 0,
    rate,
    etaSeconds: events === 0n ? 0 : events === null || rate === null || rate === 0 ? null : Number(events) / rate,
  }
}

/** The state of a projection that is not running here, for `projection list`. Another owner's row is left alone. */
export async function writeFinalStatus(pool: Pool, status: Omit<Beat, 'epoch' | 'persisted' | 'lag'>): Promise<void> {
  await pool.query(
    `insert into ops.projection_status as s (projection, owner, state, failure, heartbeat_at) values ($1, $2, $3, $4, clock_timestamp())
     on conflict (projection) do update set owner = excluded.owner, state = excluded.state, failure = excluded.failure,
       heartbeat_at = excluded.heartbeat_at where s.owner = excluded.owner or s.heartbeat_at < clock_timestamp() - interval '5 seconds'`,
    [status.projection, status.owner, status.state, status.failure],
  )
}
