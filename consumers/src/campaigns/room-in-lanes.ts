import type { CampaignChannel, WorkspaceId } from '@tidings/domain'
import { SEND_KINDS } from '@tidings/jobs'
import type { Pool } from 'pg'

/** How messages of campaigns of a channel are sent. `group`: of the consumer that admits them; `kind`: of the jobs that it makes of them. */
type CampaignLanes = Readonly<{ group: string; kind: string }>

export function lanesOf(channel: CampaignChannel): CampaignLanes {
  const { transactional: group, marketing: kind } = SEND_KINDS[channel]
  return { group, kind }
}

/** Marketing messages of a workspace and channel that wait to be sent: two seconds of work, and no more for all of its campaigns together. */
const ENOUGH_WAITING = 1_000
/** Those that wait for another try: so many addresses may be slow to answer before the rest of an audience waits for them. */
const ENOUGH_RETRYING = 10_000
/** Messages of a channel that campaigns have begun and its consumer has not admitted: transactional ones that are accepted now come after them. */
const ENOUGH_AHEAD = 1_000

/** `handled`: the place in the log up to which the group has admitted everything. */
type LaneRoomRequest = CampaignLanes & Readonly<{ workspaceId: WorkspaceId; handled: bigint }>

/**
 * How many more messages campaigns of a workspace should begin now; 0 or less for none. What waits, what is between two tries and what is not
 * admitted yet each delay them, so that a provider or a transport that is slow or away does; what a pause or quiet hours defer does not, so
 * that it delays no other.
 */
export async function roomInLanes(pool: Pool, asked: LaneRoomRequest): Promise<number> {
  const ahead = ENOUGH_AHEAD - (await notAdmitted(pool, asked))
  if (ahead <= 0) return ahead
  return Math.min(ahead, ENOUGH_WAITING - (await waiting(pool, asked)), ENOUGH_RETRYING - (await retrying(pool, asked)))
}

/** Counts the messages of all workspaces, because one consumer admits them. A page counts from when it is begun, so each planner may add one more. */
async function notAdmitted(pool: Pool, { group, handled }: LaneRoomRequest): Promise<number> {
  const { rows } = await pool.query<{ ahead: number }>({
    name: 'campaign-ahead',
    text: `select coalesce(sum(ahead), 0)::int as ahead from ops.campaign_run where admitted_by = $1 and begun > $2`,
    values: [group, handled],
  })
  return rows[0]?.ahead ?? 0
}

/** Due within a minute, and what waits behind those in their lanes. */
async function waiting(pool: Pool, { kind, workspaceId }: LaneRoomRequest): Promise<number> {
  const { rows } = await pool.query<{ waiting: number }>({
    name: 'campaign-waiting',
    text: `with due as materialized (
        select lane from inbox.job where kind = $1 and workspace_id = $2 and due_at < clock_timestamp() + interval '1 minute' limit $3),
      behind as (
        select from (select distinct lane from due) d cross join lateral (
          select from inbox.job j where j.kind = $1 and j.lane = d.lane and j.due_at is null limit $3) b limit $3)
      select ((select count(*) from due) + (select count(*) from behind) + (
        select coalesce(sum(cardinality(seqs)), 0) from inbox.bundle where kind = $1 and workspace_id = $2))::int as waiting`,
    values: [kind, workspaceId, ENOUGH_WAITING],
  })
  return rows[0]?.waiting ?? 0
}

/** Due later than in a minute after a try that failed. */
async function retrying(pool: Pool, { kind, workspaceId }: LaneRoomRequest): Promise<number> {
  const { rows } = await pool.query<{ retrying: number }>({
    name: 'campaign-retrying',
    text: `select count(*)::int as retrying from (
        select from inbox.job where kind = $1 and workspace_id = $2 and attempt > 0 and due_at >= clock_timestamp() + interval '1 minute'
        and not aside limit $3) r`,
    values: [kind, workspaceId, ENOUGH_RETRYING],
  })
  return rows[0]?.retrying ?? 0
}
