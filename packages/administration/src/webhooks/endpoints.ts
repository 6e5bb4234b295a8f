import type { EndpointId, WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels, toWebhookEndpoint } from '@tidings/read-models'
import type { Pool } from 'pg'

export type EndpointWithWaiting = ReturnType<typeof toWebhookEndpoint> & Readonly<{ waiting: number }>

/** The endpoints of a workspace, newest first, and how many deliveries wait for each. */
export async function webhookEndpoints(pool: Pool, workspaceId: WorkspaceId): Promise<readonly EndpointWithWaiting[]> {
  const query = forWorkspace(kyselyOn<ReadModels>(pool), workspaceId).webhooks().selectAll()
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()
  const waiting = await pool.query<{ endpoint_id: EndpointId; waiting: number }>(
    'select endpoint_id, waiting from webhooks.queue where workspace_id = $1',
    [workspaceId],
  )
  const counts = new Map(waiting.rows.map((row) => [row.endpoint_id, row.waiting]))
  return rows.map((row) => ({ ...toWebhookEndpoint(row), waiting: counts.get(row.id) ?? 0 }))
}

/** How tries went: an answer of success, a failure that is tried again, a delivery that was given up. */
export type OutcomeCounts = Readonly<{ delivered: number; retrying: number; dropped: number }>
export type WebhookOutcomes = Readonly<{ endpointId: EndpointId; lastHour: OutcomeCounts; lastDay: OutcomeCounts }>

const sumSince = (outcome: string, hours: number) =>
  `coalesce(sum(o.${outcome}) filter (where o.since > clock_timestamp() - interval '${hours} hours'), 0)::float8`

const counts = (hours: number) =>
  `jsonb_build_object('delivered', ${sumSince('delivered', hours)}, 'retrying', ${sumSince('retrying', hours)}, 'dropped', ${sumSince('dropped', hours)})`

/** How the tries of each endpoint of a workspace went within the last hour and day, to ten minutes. One without a try is not in it. */
export async function webhookOutcomes(pool: Pool, workspaceId: WorkspaceId): Promise<readonly WebhookOutcomes[]> {
  const { rows } = await pool.query<WebhookOutcomes>(
    `select q.endpoint_id as "endpointId", ${counts(1)} as "lastHour", ${counts(24)} as "lastDay"
     from webhooks.queue q join webhooks.outcomes o on o.endpoint_id = q.endpoint_id
     where q.workspace_id = $1 and o.since <= clock_timestamp() group by q.endpoint_id order by q.endpoint_id`,
    [workspaceId],
  )
  return rows
}
