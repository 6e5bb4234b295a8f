import { OperationFailed } from '@tidings/config'
import { asEndpointId, type EndpointId, Refused, type WorkspaceId, webhooks, webhooksStream } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels, toWebhookEndpoint } from '@tidings/read-models'
import type { Pool } from 'pg'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { type Answer, listAnswer } from '../terminal/answer.ts'

type OfWorkspace = Readonly<{ workspace: string; json: boolean }>
type OfEndpoint = OfWorkspace & Readonly<{ id: string }>

type Endpoint = ReturnType<typeof toWebhookEndpoint> & Readonly<{ waiting: number }>

const endpointsOf = async ({ stores: { pool } }: Operator, workspaceId: WorkspaceId): Promise<readonly Endpoint[]> => {
  const query = forWorkspace(kyselyOn<ReadModels>(pool), workspaceId).webhooks().selectAll()
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()
  const waiting = await pool.query<{ endpoint_id: EndpointId; waiting: number }>(
    'select endpoint_id, waiting from webhooks.queue where workspace_id = $1',
    [workspaceId],
  )
  const counts = new Map(waiting.rows.map((row) => [row.endpoint_id, row.waiting]))
  return rows.map((row) => ({ ...toWebhookEndpoint(row), waiting: counts.get(row.id) ?? 0 }))
}

const endpointLine = ({ id, url, active, events, waiting, label }: Endpoint): string =>
  `${id}  ${active ? 'active' : 'paused'}  ${waiting} waiting  ${events.join(',')}  ${url}${label === null ? '' : `  ${label}`}`

const endpointOf = async (operator: Operator, workspaceId: WorkspaceId, { workspace, id }: OfEndpoint): Promise<Endpoint> => {
  const endpoint = (await endpointsOf(operator, workspaceId)).find((one) => one.id === id.toLowerCase())
  if (endpoint === undefined) throw new OperationFailed(`Workspace ${workspace} has no webhook endpoint ${id}.`)
  return endpoint
}

/** `tidings webhook list`, newest first. */
export function list({ workspace, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async (operator) => {
    const endpoints = await endpointsOf(operator, (await existingWorkspace(operator, workspace)).id)
    return listAnswer(endpoints, endpointLine, `Workspace ${workspace} has no webhook endpoint.`)
  })
}

const triedLine = ({ at, outcome, attempt, status, error, durationMs, event, deliveryId }: Tried): string =>
  `${at}  ${outcome.padEnd(9)}  try ${attempt}  ${status ?? error ?? ''}  ${durationMs} ms  ${event}  ${deliveryId}`

/** `tidings webhook deliveries`: the last tries of one endpoint, newest first; all that failed, and some of those that did not. */
export function deliveries(options: OfEndpoint): Promise<void> {
  return withOperator(options.json, async (operator) => {
    const { id: workspaceId } = await existingWorkspace(operator, options.workspace)
    const { id } = await endpointOf(operator, workspaceId, options)
    const tried = await triedDeliveries(operator.stores.pool, workspaceId, id)
    return listAnswer(tried, triedLine, `Nothing was delivered to webhook endpoint ${id} yet.`)
  })
}

const move = (type: 'PauseWebhook' | 'ResumeWebhook', means: string, options: OfEndpoint): Promise<void> =>
  withOperator(options.json, async (operator): Promise<Answer> => {
    const { id: workspaceId } = await existingWorkspace(operator, options.workspace)
    const data = { endpointId: asEndpointId(options.id.toLowerCase()) }
    try {
      await operator.provisioner.execute(workspaceId, webhooks, webhooksStream(workspaceId), { type, data })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      throw new OperationFailed(`Workspace ${options.workspace} has no webhook endpoint ${options.id}.`)
    }
    await operator.settle()
    const endpoint = await endpointOf(operator, workspaceId, options)
    return { json: endpoint, lines: [`Webhook endpoint ${endpoint.id} is ${endpoint.active ? 'active' : 'paused'}: ${means}.`] }
  })

/** `tidings webhook pause`: drops the deliveries that wait, and delivers nothing until it is resumed. */
export function pause(options: OfEndpoint): Promise<void> {
  return move('PauseWebhook', 'what waited is dropped, and what happens now is not delivered', options)
}

/** `tidings webhook resume`. */
export function resume(options: OfEndpoint): Promise<void> {
  return move('ResumeWebhook', 'what happens from now on is delivered', options)
}

/** One try of a delivery. `status` is the receiver's answer, `error` why there was none. */
type Tried = Readonly<{
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
async function triedDeliveries(pool: Pool, workspaceId: WorkspaceId, endpointId: EndpointId): Promise<readonly Tried[]> {
  const { rows } = await pool.query<Omit<Tried, 'at'> & Readonly<{ at: Date }>>(
    `select delivery_id as "deliveryId", event, attempt, outcome, status, error, duration_ms as "durationMs", at
     from webhooks.attempt where workspace_id = $1 and endpoint_id = $2 order by number desc`,
    [workspaceId, endpointId],
  )
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}
