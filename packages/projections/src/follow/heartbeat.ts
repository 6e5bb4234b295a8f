import { sharedStatement } from '@tidings/async'
import type { WorkspaceId } from '@tidings/domain'
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
  /** The position to which this owner has moved the checkpoint row. */
  persisted: Position
  state: ProjectionState
  lag: Lag | null
  failure: Failure | null
}>

/** A stream that is parked from `revision` on. */
export type ParkedFrom = Readonly<{ workspaceId: WorkspaceId; stream: string; revision: number }>

/** `fellBack`: a crash of Postgres took the last commits of the tables, which did not wait for the disk. */
export type Heard = Readonly<{ leased: boolean; fellBack: boolean; redrive: readonly ParkedFrom[] }>

const COLUMNS = `$1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::float8[], $7::float8[], $8::float8[], $9::jsonb[],
    $10::bigint[], $11::bigint[]`

/** `locking`: what a beat does about a lease whose row is locked. */
const beatSql = (locking: '' | 'skip locked') => `with asked as (
    select * from unnest(${COLUMNS}) a(projection, owner, epoch, state, lag_events, lag_seconds, rate, eta_seconds, failure, commit, prepare)),
  free as (
    select l.projection from ops.projection_lease l join asked a using (projection, owner, epoch)
    where l.expires_at > '-infinity' order by 1 for update of l ${locking}),
  renewed as (
    update ops.projection_lease l set expires_at = clock_timestamp() + interval '${projectionLeases.leaseMs} milliseconds'
    from free where l.projection = free.projection returning l.projection, l.owner, l.epoch),
  status as (
    insert into ops.projection_status as s
      (projection, owner, state, lag_events, lag_seconds, rate, eta_seconds, failure, heartbeat_at)
    select projection, owner, state, lag_events, lag_seconds, rate, eta_seconds, failure, clock_timestamp()
    from asked join renewed using (projection, owner, epoch)
    on conflict (projection) do update set owner = excluded.owner, state = excluded.state, lag_events = excluded.lag_events,
      lag_seconds = excluded.lag_seconds, rate = excluded.rate, eta_seconds = excluded.eta_seconds,
      failure = excluded.failure, heartbeat_at = excluded.heartbeat_at)
  select projection, owner, epoch, set_config('synchronous_commit', 'off', true),
    exists (select 1 from ops.projection_checkpoint c
      where c.projection = r.projection and (c.position_commit, c.position_prepare) < (a.commit, a.prepare)) as "fellBack",
    (select coalesce(json_agg(json_build_object('workspaceId', p.workspace_id, 'stream', p.stream, 'revision', p.revision)), '[]')
     from ops.parked_stream p where p.projection = r.projection and p.redrive_requested_at is not null) as redrive
  from asked a join renewed r using (projection, owner, epoch)`

type Renewed = Omit<Heard, 'leased'> & Readonly<{ projection: string; owner: string; epoch: bigint }>

const ask = async (db: Queryable, beats: readonly Beat[], locking: Parameters<typeof beatSql>[0]): Promise<readonly Renewed[]> => {
  const { rows } = await db.query<Renewed>({
    name: `projection beats ${locking}`,
    text: beatSql(locking),
    values: [
      beats.map(({ projection }) => projection),
      beats.map(({ owner }) => owner),
      beats.map(({ epoch }) => epoch),
      beats.map(({ state }) => state),
      beats.map(({ lag }) => lag?.events ?? null),
      beats.map(({ lag }) => lag?.seconds ?? null),
      beats.map(({ lag }) => lag?.rate ?? null),
      beats.map(({ lag }) => lag?.etaSeconds ?? null),
      beats.map(({ failure }) => (failure === null ? null : JSON.stringify(failure))),
      beats.map(({ persisted }) => persisted.commit),
      beats.map(({ persisted }) => persisted.prepare),
    ],
  })
  return rows
}

const answerTo = (renewed: readonly Renewed[], { projection, owner, epoch }: Beat): Heard | null => {
  const found = renewed.find((row) => row.projection === projection && row.owner === owner && row.epoch === epoch)
  return found === undefined ? null : { leased: true, fellBack: found.fellBack, redrive: found.redrive }
}

const beatTogether = sharedStatement({
  ask: (db: Queryable, beats: readonly Beat[]) => ask(db, beats, 'skip locked'),
  pick: answerTo,
})

/**
 * Renews the lease and, while it has it, writes the status row; returns which parked streams are to be re-driven. All projections of a process
 * beat in one statement; one whose lease another transaction has locked, or whose statement is late, beats alone.
 */
export async function beat(db: Queryable, beating: Beat): Promise<Heard> {
  const heard = (await beatTogether(db)(beating)) ?? answerTo(await ask(db, [beating], ''), beating)
  return heard ?? { leased: false, fellBack: false, redrive: [] }
}

/** What happened between two beats; `head`: where the log ended then. `lastCreated`: when the last event was stored. */
export type Stretch = Readonly<{ from: Position; reached: Position; head: Position; seconds: number; lastCreated: string | null }>

export function measureLag({ from, reached, head, seconds, lastCreated }: Stretch): Lag {
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
