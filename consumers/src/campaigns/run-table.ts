import type { WaitsFor } from '@tidings/administration'
import type { CampaignId, WorkspaceId } from '@tidings/domain'
import { leaseTable, type RowLease } from '@tidings/jobs'
import type { ClientBase, Pool } from 'pg'

/** Lease of one campaign. After a process is killed, no other process can take its campaign for at most this long. */
const LEASE_MS = 15_000
export const runLeases = leaseTable({ table: 'ops.campaign_run', name: 'campaign_id', expiresAt: 'expires_at', leaseMs: LEASE_MS })

/** The time (ms since 1970) since which the provider took none of many; and how many later looks found more refusals than `seen`. */
export type Refusing = Readonly<{ since: number; tries: number; seen: number }>

/**
 * A campaign with a step to take. `recipients`: null until the audience is taken; `waitsFor` is the reason why it is not. `after`: contacts up to this id have been begun.
 * `accepted`: the provider took a message of it; `refused`: how many it did not; `refusing`: set if these are many.
 * `suspendedSince`: the time (ms since 1970) at which it first found its workspace suspended, null if it is not.
 * `begun`: the position of the last message that was begun; `ahead`: how many since their consumer had admitted all.
 */
export type CampaignRun = Readonly<{
  campaignId: CampaignId
  workspaceId: WorkspaceId
  wakes: string
  after: string
  recipients: number | null
  waitsFor: WaitsFor | null
  accepted: boolean
  refused: number
  refusing: Refusing | null
  suspendedSince: number | null
  begun: bigint
  ahead: number
}>

export type OwnedRun = Readonly<{ run: CampaignRun; lease: RowLease }>

/** Releases the leases of dead owners, for a process that knows that they are dead; returns how many. */
export function releaseAllCampaigns(pool: Pool): Promise<number> {
  return runLeases.releaseAll(pool)
}

/** Workspaces take turns, and so do the campaigns of each. */
const DUE = `select r.campaign_id as id from ops.campaign_run r
  where r.due_at <= to_timestamp($1::float8 / 1000.0) and (r.expires_at is null or r.expires_at < clock_timestamp())
  order by (select max(o.touched_at) from ops.campaign_run o where o.workspace_id = r.workspace_id), r.touched_at limit 4`

/** The time at which the first run without an owner is due, in ms since 1970. */
export const FIRST_DUE = `select extract(epoch from min(due_at)) * 1000 from ops.campaign_run
  where due_at < 'infinity' and (expires_at is null or expires_at < clock_timestamp())`

const ROW = `select campaign_id as "campaignId", workspace_id as "workspaceId", wakes::text, after, recipients, waits_for as "waitsFor", accepted, refused,
    case when refusing_since is not null then json_build_object(
      'since', (extract(epoch from refusing_since) * 1000)::float8, 'tries', refused_tries, 'seen', refused_seen) end as refusing,
    (extract(epoch from suspended_since) * 1000)::float8 as "suspendedSince", begun, ahead
  from ops.campaign_run where campaign_id = $1`

/** The campaign that has waited longest of those that are due at `now` (ms since 1970) and that no other process has; null where there is none. */
export async function takeDue(pool: Pool, owner: string, now: number): Promise<OwnedRun | null> {
  const { rows } = await pool.query<{ id: string }>(DUE, [now])
  for (const { id } of rows) {
    const lease = await runLeases.acquire(pool, id, owner)
    if (lease === null) continue
    const found = await pool.query<CampaignRun>(ROW, [id])
    const [run] = found.rows
    if (run !== undefined) return { run, lease }
  }
  return null
}

/** The provider's answers to the campaign's messages as of now: to all of them, once every recipient has an outcome. Null if the row is gone. */
export async function countedNow(
  pool: Pool,
  { campaignId }: CampaignRun,
): Promise<Readonly<{ accepted: boolean; refused: number }> | null> {
  const { rows } = await pool.query<CampaignRun>('select accepted, refused from ops.campaign_run where campaign_id = $1', [campaignId])
  return rows[0] ?? null
}

/** Messages that were begun. `begun`: the place of the last in the log; `ahead`: as in the row; `group`: which admits them. */
type BegunUpTo = Readonly<{ begun: bigint; ahead: number; group: string }>

/** The time of the next look at the campaign, in ms since 1970, or null to wait for an event; the rest is as in its row. */
export type CampaignRunUpdate = Readonly<{
  dueAt: number | null
  after?: string
  recipients?: number
  waitsFor?: WaitsFor | null
  refusing?: Refusing | null
  suspendedSince?: number | null
  upTo?: BegunUpTo
}>

/** Gives the campaign back. An event that came meanwhile makes it due at once. Does nothing where another process has it. */
export async function giveBack(pool: Pool, { run, lease }: OwnedRun, next: CampaignRunUpdate): Promise<void> {
  const { dueAt, after = run.after, recipients = run.recipients, waitsFor = run.waitsFor, refusing = run.refusing, upTo = null } = next
  const { suspendedSince = run.suspendedSince } = next
  await pool.query(
    `update ops.campaign_run set after = $5, recipients = $7, touched_at = clock_timestamp(), expires_at = '-infinity',
       refusing_since = to_timestamp($8::float8 / 1000.0), refused_tries = $9, refused_seen = $10,
       begun = greatest(begun, $11), ahead = coalesce($12, ahead), admitted_by = coalesce($13, admitted_by), waits_for = $14,
       suspended_since = to_timestamp($15::float8 / 1000.0),
       due_at = case when wakes <> $4 then '-infinity' else coalesce(to_timestamp($6::float8 / 1000.0), 'infinity') end
     where campaign_id = $1 and owner = $2 and epoch = $3`,
    [
      ...[run.campaignId, lease.owner, lease.epoch, run.wakes, after, dueAt, recipients],
      ...[refusing?.since ?? null, refusing?.tries ?? 0, refusing?.seen ?? 0],
      ...[upTo?.begun ?? null, upTo?.ahead ?? null, upTo?.group ?? null, waitsFor, suspendedSince],
    ],
  )
}

/** Deletes the row of a campaign without a further step; a campaign that an event woke meanwhile keeps its row and is due at once. */
export async function forgetRun(pool: Pool, { run, lease }: OwnedRun): Promise<void> {
  await pool.query('delete from ops.campaign_run where campaign_id = $1 and owner = $2 and epoch = $3 and wakes = $4', [
    run.campaignId,
    lease.owner,
    lease.epoch,
    run.wakes,
  ])
  await giveBack(pool, { run, lease }, { dueAt: 0 })
}

/** Lets these campaigns be looked at now. */
export async function wake(
  tx: ClientBase,
  campaigns: readonly Readonly<{ workspaceId: WorkspaceId; campaignId: CampaignId }>[],
): Promise<void> {
  if (campaigns.length === 0) return
  await tx.query(
    `insert into ops.campaign_run (campaign_id, workspace_id, due_at)
     select distinct on (c) c, w, '-infinity'::timestamptz from unnest($1::uuid[], $2::uuid[]) u(c, w) order by c
     on conflict (campaign_id) do update set due_at = excluded.due_at, wakes = ops.campaign_run.wakes + 1`,
    [campaigns.map(({ campaignId }) => campaignId), campaigns.map(({ workspaceId }) => workspaceId)],
  )
}
