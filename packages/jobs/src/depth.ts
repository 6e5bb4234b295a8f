import { estimatedRows } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { DeferredFor } from './job.ts'

/** `waiting` counts every job of the kind, also those that run; `oldestSeconds` is the age of the one admitted first. */
export type Depth = Readonly<{ kind: string; waiting: number; retrying: number; oldestSeconds: number }>

/** Up to this many jobs are counted one by one; beyond, the planner's estimate is the answer. */
const COUNTED = 10_000

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** How much waits, per kind that has any: exact below `counted`, an estimate from there on. Costs the same whatever waits. */
export async function inboxDepth(pool: Pool, counted: number = COUNTED): Promise<readonly Depth[]> {
  const { rows } = await pool.query<Depth>(
    `select kind, waiting, retrying, greatest(0, extract(epoch from clock_timestamp() - oldest))::float8 as "oldestSeconds"
     from inbox.depth($1)`,
    [counted],
  )
  const estimate = async (count: number, condition: string): Promise<number> =>
    count < counted ? count : Math.max(counted, await estimatedRows(pool, `inbox.job where ${condition}`))
  return Promise.all(
    rows.map(async (depth) => {
      const ofKind = `kind = ${literal(depth.kind)}`
      const [waiting, retrying] = [await estimate(depth.waiting, ofKind), await estimate(depth.retrying, `${ofKind} and attempt > 0`)]
      return { ...depth, waiting, retrying }
    }),
  )
}

/** Jobs of a kind that were put off and wait for something; at most 10 000 of each are counted. */
export async function deferredJobs(pool: Pool): Promise<readonly Readonly<{ kind: string; deferredFor: DeferredFor; jobs: number }>[]> {
  const { rows } = await pool.query<{ kind: string; deferredFor: DeferredFor; jobs: number }>(
    'select kind, deferred_for as "deferredFor", jobs from inbox.deferred($1)',
    [COUNTED],
  )
  return rows
}

/** Open dead letters, per consumer or kind; of all together at most the newest 10 000 are counted. */
export async function openDeadLetters(pool: Pool): Promise<readonly Readonly<{ consumer: string; open: number }>[]> {
  const { rows } = await pool.query<{ consumer: string; open: number }>(
    `select consumer, count(*)::int as open
     from (select consumer from ops.dead_letter where state in ('open', 'redriving') order by last_seen_at desc, id limit $1) newest
     group by consumer order by consumer`,
    [COUNTED],
  )
  return rows
}

/** The time for which the longest waiting job of a kind is due; 0 if none is. It costs one index probe a workspace. */
export async function dueLagSeconds(pool: Pool, kind: string): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `with recursive visit(ws, first_due) as (
       (select workspace_id, due_at from inbox.job where kind = $1 and due_at is not null order by workspace_id, due_at limit 1)
       union all
       select n.* from visit v cross join lateral (
         select j.workspace_id, j.due_at from inbox.job j where j.kind = $1 and j.due_at is not null and j.workspace_id > v.ws
         order by j.workspace_id, j.due_at limit 1) n)
     select coalesce(greatest(0, extract(epoch from clock_timestamp() - least(min(first_due), (
       select min(due_at) from inbox.bundle where kind = $1)))), 0)::float8 as seconds from visit`,
    [kind],
  )
  return rows[0]?.seconds ?? 0
}
