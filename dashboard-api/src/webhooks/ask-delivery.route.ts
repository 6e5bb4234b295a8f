import { askDelivery, dropDeleted, testDelivery } from '@tidings/administration'
import { AskedDelivery, DeliveryParams, EndpointParams } from '@tidings/contracts'
import { type EndpointId, originOf, Refused, type WorkspaceId } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { bodyOf, endpointInLog, existingDelivery } from './endpoints.ts'

const test = {
  operationId: 'webhooks.test',
  summary: 'Deliver `webhook.test` to an endpoint, whatever it subscribes to',
  description:
    'Signed and tried like any other delivery; its `data` is empty, and nothing is written to the log. At most ten a minute for an endpoint.',
  tags: ['webhooks'],
  params: EndpointParams,
  response: { 202: AskedDelivery },
}

const again = {
  operationId: 'webhooks.deliverAgain',
  summary: 'Deliver once more: the same body under the same id',
  description:
    'A delivery that waits has its turn at once; one that was asked for within ten seconds is not delivered twice. At most ten a minute for an endpoint.',
  tags: ['webhooks'],
  params: DeliveryParams,
  response: { 202: AskedDelivery },
}

const refusals = ['webhook_not_found', 'webhook_paused', 'webhook_asked_too_often'] as const
const config = { access: 'session', dashboard: { role: 'admin', notes: 'delivery' }, refusals } as const
const againConfig = { ...config, refusals: [...refusals, 'webhook_delivery_not_found', 'webhook_delivery_gone'] } as const

type AskedEndpoint = Readonly<{ workspaceId: WorkspaceId; endpointId: EndpointId }>

/** Operations, not facts of the domain: the rows of what waits are all that they write (M73). */
export function askForDelivery(app: App, deps: DashboardDependencies): void {
  app.post('/webhooks/:id/test', { schema: test, config }, async ({ tenant: { workspaceId }, params, commandId }, reply) => {
    const of = { workspaceId, endpointId: params.id }
    const delivery = testDelivery({ endpointId: params.id, testId: commandId })
    await mustBeActive(deps, of)
    const state = await askDelivery(deps.pool, { ...of, ...delivery })
    await dropIfDeleted(deps, of)
    reply.code(202)
    return { deliveryId: delivery.deliveryId, state }
  })
  app.post('/webhooks/:id/deliveries/:delivery/again', { schema: again, config: againConfig }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const of = { workspaceId, endpointId: request.params.id }
    const { delivery: deliveryId } = request.params
    const found = await existingDelivery(deps, { ...of, deliveryId })
    await mustBeActive(deps, of)
    if (found.source === null || (await bodyOf(deps, { ...of, deliveryId, found })) === null) throw new Refused('webhook_delivery_gone')
    const known = originOf(found.source)
    const origin = known.kind === 'test' ? known : { kind: 'again' as const, source: known.source }
    const state = await askDelivery(deps.pool, { ...of, event: found.event, deliveryId, origin })
    await dropIfDeleted(deps, of)
    reply.code(202)
    return { deliveryId, state }
  })
}

const mustBeActive = async (deps: DashboardDependencies, of: AskedEndpoint): Promise<void> => {
  const endpoint = await endpointInLog(deps, of)
  if (endpoint === null) throw new Refused('webhook_not_found')
  if (!endpoint.active) throw new Refused('webhook_paused')
}

/** An endpoint that was deleted meanwhile leaves nothing behind. One that is deleted later finds the row, and drops it. */
const dropIfDeleted = async (deps: DashboardDependencies, of: AskedEndpoint): Promise<void> => {
  if ((await endpointInLog(deps, of)) !== null) return
  await dropDeleted(deps.pool, of.endpointId)
  throw new Refused('webhook_not_found')
}
