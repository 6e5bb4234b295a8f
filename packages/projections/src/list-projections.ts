import { comparePositions, type Position } from '@tidings/event-store'
import type { Pool } from 'pg'
import type { Failure } from './follow/failure.ts'

/** One line of `projection list`. `lagEvents` is null where positions are not dense; a `silent` owner has not been heard of for 5 s. */
export type ProjectionReport = Readonly<{
  name: string
  version: number
  state: string
  position: Position
  head: Position
  lagEvents: bigint | null
  lagSeconds: number | null
  rate: number | null
  etaSeconds: number | null
  owner: string | null
  heartbeatAt: string | null
  failure: Failure | null
  parkedStreams: number
}>

type ProjectionRow = {
  name: string
  version: number
  state: string | null
  position_commit: bigint
  position_prepare: bigint
  lag_seconds: number | null
  rate: number | null
  eta_seconds: number | null
  owner: string | null
  heartbeat_at: Date | null
  silent: boolean
  failure: Failure | null
  parked: number
}

const SQL = `select c.projection as name, c.version, c.position_commit, c.position_prepare, s.state, s.lag_seconds, s.rate, s.eta_seconds,
    s.owner, s.heartbeat_at, s.failure, coalesce(s.heartbeat_at < clock_timestamp() - interval '5 seconds', true) as silent,
    (select count(*)::int from ops.parked_stream p where p.projection = c.projection) as parked
  from ops.projection_checkpoint c left join ops.projection_status s using (projection) order by c.projection`

/** The position of every projection of this installation, and the process that runs it, if any. */
export async function listProjections(pool: Pool, log: Readonly<{ head: () => Promise<Position> }>): Promise<readonly ProjectionReport[]> {
  const head = await log.head()
  const { rows } = await pool.query<ProjectionRow>(SQL)
  return rows.map((row) => reportOf(row, head))
}

const ENDED = new Set(['failed', 'stopped'])

const reportOf = (row: ProjectionRow, head: Position): ProjectionReport => {
  const position = { commit: row.position_commit, prepare: row.position_prepare }
  const behind = comparePositions(position, head) < 0
  const dense = position.prepare <= 0n && head.prepare <= 0n
  return {
    name: row.name,
    version: row.version,
    state: row.state === null || (row.silent && !ENDED.has(row.state)) ? 'silent' : row.state,
    position,
    head,
    lagEvents: !behind ? 0n : dense ? head.commit - position.commit : null,
    lagSeconds: behind ? row.lag_seconds : 0,
    rate: row.rate,
    etaSeconds: behind ? row.eta_seconds : 0,
    owner: row.owner,
    heartbeatAt: row.heartbeat_at?.toISOString() ?? null,
    failure: row.failure,
    parkedStreams: row.parked,
  }
}
