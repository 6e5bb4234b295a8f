import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

/** One try of a delivery. `status` is the receiver's answer, `error` why there was none. */
export type Tried = Readonly<{
  deliveryId: string
  event: string
  attempt: number
  outcome: 'delivered' | 'retrying' | 'dropped'
  status: number | null
  error: string | null
  durationMs: number
  at: string
}>

/** The last tries that are kept of an endpoint, newest first; at most 100. */
export async function triedDeliveries(pool: Pool, workspaceId: WorkspaceId, endpointId: string): Promise<readonly Tried[]> {
  const { rows } = await pool.query<Omit<Tried, 'at'> & Readonly<{ at: Date }>>(
    `select delivery_id as "deliveryId", event, attempt, outcome, status, error, duration_ms as "durationMs", at
     from webhooks.attempt where workspace_id = $1 and endpoint_id = $2 order by number desc`,
    [workspaceId, endpointId],
  )
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}
