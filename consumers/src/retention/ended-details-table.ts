import type { DetailKind, WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

type Database = Pick<Pool, 'query'>

/** The details of a kind that end in a workspace, in all weeks before `until`. */
export type EndOfDetails = Readonly<{ workspaceId: WorkspaceId; kind: DetailKind; until: string }>

/** For each kind: the days for which it is kept, and the Monday before which weeks end by the clock of this process. A kind that is kept is absent. */
export type Due = Readonly<Partial<Record<DetailKind, Readonly<{ days: number; until: string }>>>>

// A workspace that is younger has nothing that could end. The clock of the database must agree: one that is wrong would end everything, for ever.
const DUE = `from read.workspaces w cross join unnest($1::text[], $2::date[], $3::int[]) d (kind, until, days)
  left join keys.ended_details e on e.workspace_id = w.workspace_id and e.kind = d.kind
  where w.created_at < d.until::timestamp at time zone 'utc'
    and d.until <= date_trunc('week', (clock_timestamp() at time zone 'utc') - make_interval(days => d.days))`

const dueValues = (due: Due) => [Object.keys(due), Object.values(due).map(({ until }) => until), Object.values(due).map(({ days }) => days)]

/** False before the first start has shown any workspace. */
export async function areWorkspacesShown(pool: Database): Promise<boolean> {
  const { rows } = await pool.query<{ shown: boolean }>(`select to_regclass('read.workspaces') is not null as shown`)
  return rows[0]?.shown === true
}

/** Ends that are due and have not been made, at most `limit`, behind `last` in the order of workspace and kind. */
export async function dueEnds(
  pool: Database,
  due: Due,
  { last, limit }: Readonly<{ last: EndOfDetails | null; limit: number }>,
): Promise<readonly EndOfDetails[]> {
  const { rows } = await pool.query<EndOfDetails>(
    `select w.workspace_id as "workspaceId", d.kind, d.until::text ${DUE} and (e.until is null or e.until < d.until)
       and ($4::uuid is null or (w.workspace_id, d.kind) > ($4, $5::text))
     order by w.workspace_id, d.kind limit $6`,
    [...dueValues(due), last?.workspaceId ?? null, last?.kind ?? null, limit],
  )
  return rows
}

/** The metric: ends that are due and not yet in every table. */
export async function openEnds(pool: Database, due: Due): Promise<number> {
  if (!(await areWorkspacesShown(pool))) return 0
  const { rows } = await pool.query<{ open: number }>(
    `select count(*)::int as open ${DUE} and (e.cleared_until is null or e.cleared_until < d.until)`,
    dueValues(due),
  )
  return rows[0]?.open ?? 0
}

/** Workspaces behind one of them, in the order of their ids. */
export async function workspacesAfter(pool: Database, last: string | null, limit: number): Promise<readonly WorkspaceId[]> {
  const { rows } = await pool.query<{ id: WorkspaceId }>(
    'select workspace_id as id from read.workspaces where $1::uuid is null or workspace_id > $1 order by workspace_id limit $2',
    [last, limit],
  )
  return rows.map(({ id }) => id)
}

/** `seenAt`: by the clock of the database, as it writes it. */
export type Uncleared = EndOfDetails & Readonly<{ seenAt: string }>

/** Ends whose fields may still stand in a read model. */
export async function unclearedEnds(pool: Database): Promise<readonly Uncleared[]> {
  const { rows } = await pool.query<Uncleared>(
    `select workspace_id as "workspaceId", kind, until::text, clock_timestamp()::text as "seenAt" from keys.ended_details
     where cleared_until is distinct from until order by ended_at, workspace_id, kind`,
  )
  return rows
}

// A swap raises the epoch of its projection, in its transaction. So does another owner, which only makes the tables be gone through once more.
const SWAPS = (projections: string): string =>
  `select coalesce(sum(epoch), 0)::text as swaps from ops.projection_lease where projection = any (${projections}::text[])`

/** A value that every swap of these projections changes. */
export async function swapsOf(pool: Database, projections: readonly string[]): Promise<string> {
  const { rows } = await pool.query<{ swaps: string }>(SWAPS('$1'), [projections])
  return rows[0]?.swaps ?? '0'
}

/** `swaps`: of these projections, before their tables were gone through. */
type GoneThrough = Readonly<{ end: Uncleared; afterSeconds: number; projections: readonly string[]; swaps: string }>

/** Does nothing if the end was younger than `afterSeconds` when the tables were cleared, has moved on since, or if tables were swapped meanwhile. */
export async function markCleared(pool: Database, { end, afterSeconds, projections, swaps }: GoneThrough): Promise<void> {
  const { workspaceId, kind, until, seenAt } = end
  await pool.query(
    `update keys.ended_details set cleared_until = until
     where workspace_id = $1 and kind = $2 and until = $3::date and ended_at < $4::timestamptz - make_interval(secs => $5)
       and $7 = (${SWAPS('$6')})`,
    [workspaceId, kind, until, seenAt, afterSeconds, projections, swaps],
  )
}
