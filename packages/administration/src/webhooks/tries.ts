import type { EndpointId, WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

/** One try of a delivery. `status` is the receiver's answer, `error` why there was none. */
export type WebhookTry = Readonly<{
  deliveryId: string
  event: string
  attempt: number
  outcome: 'delivered' | 'retrying' | 'dropped'
  status: number | null
  error: string | null
  durationMs: number
  at: string
}>

/** `before`: of the tries whose number is lower. */
export type WantedTries = Readonly<{ workspaceId: WorkspaceId; endpointId: EndpointId; before?: number; limit?: number }>

/** As many as are kept of an endpoint. */
const KEPT = 100

type TryRow = Omit<WebhookTry, 'at'> & Readonly<{ at: Date; number: number }>

/** The last tries that are kept of an endpoint, newest first. `number` counts all that were kept since the endpoint began. */
export async function webhookTries(
  pool: Pool,
  { workspaceId, endpointId, before, limit = KEPT }: WantedTries,
): Promise<readonly Readonly<{ number: number; tried: WebhookTry }>[]> {
  const { rows } = await pool.query<TryRow>(
    `select delivery_id as "deliveryId", event, attempt, outcome, status, error, duration_ms as "durationMs", at, number::float8 as number
     from webhooks.attempt where workspace_id = $1 and endpoint_id = $2 and number < coalesce($3, number + 1) order by number desc limit $4`,
    [workspaceId, endpointId, before ?? null, limit],
  )
  return rows.map(({ number, at, ...row }) => ({ number, tried: { ...row, at: at.toISOString() } }))
}
