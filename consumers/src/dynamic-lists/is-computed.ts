import type { ListId, WorkspaceId } from '@tidings/domain'
import { DYNAMIC_LISTS } from '@tidings/jobs'
import type { Pool } from 'pg'

/** `version`: of the newest rule; `upTo`: the commit of the position whose changes count. */
type ComputedList = Readonly<{ workspaceId: WorkspaceId; listId: ListId; version: number; upTo: bigint }>

/**
 * Whether the rule of a list has reached every contact, and every change of a contact up to a place of the log: the run is over, and no review of
 * those waits. What is appended by then is in the log, and reads show it a moment later.
 */
export async function isComputed(pool: Pool, { workspaceId, listId, version, upTo }: ComputedList): Promise<boolean> {
  const { rows } = await pool.query<{ computed: boolean }>(
    `select exists (select from lists.run where workspace_id = $1 and list_id = $2 and version >= $3 and finished_at is not null)
       and not exists (select from inbox.job where kind = $4 and workspace_id = $1 and due_at is not null
         and (seq <= $5 or payload like '%"reason":"rule"%')) as computed`,
    [workspaceId, listId, version, DYNAMIC_LISTS, upTo],
  )
  return rows[0]?.computed === true
}
