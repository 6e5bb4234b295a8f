import { type EndpointWithWaiting, type WebhookTry, webhookEndpoints, webhookTries } from '@tidings/administration'
import { OperationFailed } from '@tidings/config'
import { asEndpointId, Refused, type WorkspaceId, webhooks, webhooksStream } from '@tidings/domain'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { type Answer, listAnswer } from '../terminal/answer.ts'

type OfWorkspace = Readonly<{ workspace: string; json: boolean }>
type OfEndpoint = OfWorkspace & Readonly<{ id: string }>

const endpointLine = ({ id, url, active, events, waiting, label }: EndpointWithWaiting): string =>
  `${id}  ${active ? 'active' : 'paused'}  ${waiting} waiting  ${events.join(',')}  ${url}${label === null ? '' : `  ${label}`}`

const endpointOf = async (operator: Operator, workspaceId: WorkspaceId, { workspace, id }: OfEndpoint): Promise<EndpointWithWaiting> => {
  const endpoint = (await webhookEndpoints(operator.stores.pool, workspaceId)).find((one) => one.id === id.toLowerCase())
  if (endpoint === undefined) throw new OperationFailed(`Workspace ${workspace} has no webhook endpoint ${id}.`)
  return endpoint
}

/** `tidings webhook list`, newest first. */
export function list({ workspace, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async (operator) => {
    const endpoints = await webhookEndpoints(operator.stores.pool, (await existingWorkspace(operator, workspace)).id)
    return listAnswer(endpoints, endpointLine, `Workspace ${workspace} has no webhook endpoint.`)
  })
}

const triedLine = ({ at, outcome, attempt, status, error, durationMs, event, deliveryId }: WebhookTry): string =>
  `${at}  ${outcome.padEnd(9)}  try ${attempt}  ${status ?? error ?? ''}  ${durationMs} ms  ${event}  ${deliveryId}`

/** `tidings webhook deliveries`: the last tries of one endpoint, newest first; all that failed, and some of those that did not. */
export function deliveries(options: OfEndpoint): Promise<void> {
  return withOperator(options.json, async (operator) => {
    const { id: workspaceId } = await existingWorkspace(operator, options.workspace)
    const { id } = await endpointOf(operator, workspaceId, options)
    const tries = await webhookTries(operator.stores.pool, { workspaceId, endpointId: id })
    return listAnswer(
      tries.map(({ tried }) => tried),
      triedLine,
      `Nothing was delivered to webhook endpoint ${id} yet.`,
    )
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
