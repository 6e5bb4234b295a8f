import type { Pool } from 'pg'

/** Marketing messages of a workspace and channel that wait to be sent: two seconds of work, and no more for all of its campaigns together. */
const ENOUGH_WAITING = 1_000

/**
 * How many more messages of a workspace its lanes should get. What is due within a minute counts, so that a provider that is slow or away holds
 * campaigns back; what a pause or quiet hours hold does not, so that it holds back no other.
 */
export async function roomInLanes(pool: Pool, kind: string, workspaceId: string): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'campaign-room',
    text: `select 1 from inbox.job where kind = $1 and workspace_id = $2 and due_at < clock_timestamp() + interval '1 minute' limit $3`,
    values: [kind, workspaceId, ENOUGH_WAITING],
  })
  return ENOUGH_WAITING - (rowCount ?? 0)
}
