import type { Pool } from 'pg'

export type ProjectionAct = 'rebuild' | 'rebuild_beside' | 'compare' | 'swap' | 'swap_back'

/** What the tables of a comparison differ in, without a key: a key may be personal, and this row is kept. */
type ComparedTable = Readonly<{ table: string; equal: number; different: number; onlyLive: number; onlyNext: number }>
export type JobResult = Readonly<{ events: number | null; parked: number | null; tables: readonly ComparedTable[] | null }>

/** `done` of `total`: positions of the log. `interrupted`: the process that did it ended before it did. */
export type ProjectionJob = Readonly<{
  id: string
  projection: string
  act: ProjectionAct
  askedBy: string
  askedAt: Date
  state: 'waiting' | 'running' | 'done' | 'failed' | 'interrupted'
  done: number
  total: number
  result: JobResult | null
  error: string | null
  endedAt: Date | null
}>

type AskedJob = Pick<ProjectionJob, 'id' | 'projection' | 'act' | 'askedBy'>

const COLUMNS = `id, projection, act, asked_by as "askedBy", asked_at as "askedAt", state, done, total, result, error, ended_at as "endedAt"`

/** So many jobs of a projection are kept. */
const KEPT = 20

const ASK = `with gone as (
    delete from ops.dashboard_job where id in (
      select id from ops.dashboard_job where projection = $2 and state not in ('waiting', 'running') order by asked_at desc offset ${KEPT - 1})
  )
  insert into ops.dashboard_job (id, projection, act, asked_by) values ($1, $2, $3, $4) on conflict do nothing returning id`

/** False where something is being done with the projection already. The same id asks once. */
export async function askForJob(pool: Pool, { id, projection, act, askedBy }: AskedJob): Promise<boolean> {
  const { rowCount } = await pool.query(ASK, [id, projection, act, askedBy])
  if (rowCount === 1) return true
  const { rows } = await pool.query<Readonly<{ there: boolean }>>('select exists (select from ops.dashboard_job where id = $1) as there', [
    id,
  ])
  return rows[0]?.there === true
}

/** The last job of each projection. */
export async function lastJobs(pool: Pool): Promise<readonly ProjectionJob[]> {
  const { rows } = await pool.query<ProjectionJob>(
    `select distinct on (projection) ${COLUMNS} from ops.dashboard_job order by projection, asked_at desc`,
  )
  return rows
}

/** A process that has said nothing of its job for so long has ended, or stands still: then its end is not noted any more. */
const SILENT_SECONDS = 30

/** Ends the jobs of processes that are gone. What they did is all done or not at all, but for tables that are dropped by themselves. */
export async function endLostJobs(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `update ops.dashboard_job set state = 'interrupted', ended_at = clock_timestamp()
     where state = 'running' and alive_at < clock_timestamp() - make_interval(secs => $1)`,
    [SILENT_SECONDS],
  )
  return rowCount ?? 0
}

/** The job that has waited longest, which is this process's from now on; null where none waits. */
export async function takeJob(pool: Pool): Promise<ProjectionJob | null> {
  const { rows } = await pool.query<ProjectionJob>(
    `update ops.dashboard_job set state = 'running', alive_at = clock_timestamp() where id = (
       select id from ops.dashboard_job where state = 'waiting' order by asked_at limit 1 for update skip locked)
     returning ${COLUMNS}`,
  )
  return rows[0] ?? null
}

type Reached = Readonly<{ done: number; total: number }>

/** Says that the process is there, and how far it is. False where another one has ended the job. */
export async function noteReached(pool: Pool, id: string, { done, total }: Reached): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update ops.dashboard_job set done = $2, total = $3, alive_at = clock_timestamp() where id = $1 and state = 'running'`,
    [id, done, total],
  )
  return rowCount === 1
}

export type EndedJob = Readonly<{ state: 'done' | 'failed' | 'interrupted'; result: JobResult | null; error: string | null }>

export async function endJob(pool: Pool, id: string, { state, result, error }: EndedJob): Promise<void> {
  await pool.query(
    `update ops.dashboard_job set state = $2, result = $3, error = $4, ended_at = clock_timestamp() where id = $1 and state = 'running'`,
    [id, state, result === null ? null : JSON.stringify(result), error],
  )
}
