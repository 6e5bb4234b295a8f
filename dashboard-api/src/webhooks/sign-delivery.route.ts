import { DeliveryParams, SignedDelivery } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { bodyOf, existingDelivery } from './endpoints.ts'

const schema = {
  operationId: 'webhooks.signDelivery',
  summary: 'The request of a delivery with a signature of now, to be sent by hand',
  tags: ['webhooks'],
  params: DeliveryParams,
  response: { 200: SignedDelivery },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin', notes: 'signature' },
  showsSecret: true,
  refusals: ['webhook_not_found', 'webhook_delivery_not_found', 'webhook_delivery_gone'],
} as const

export function signDelivery(app: App, deps: DashboardDependencies): void {
  app.post('/webhooks/:id/deliveries/:delivery/signature', { schema, config }, async ({ tenant: { workspaceId }, params }) => {
    const of = { workspaceId, endpointId: params.id, deliveryId: params.delivery }
    const found = await existingDelivery(deps, of)
    const endpoint = await deps.webhooks.find(workspaceId, params.id)
    const { url } = found.endpoint
    if (endpoint === null || url === null) throw new Refused('webhook_not_found')
    const body = await bodyOf(deps, { ...of, found })
    if (body === null) throw new Refused('webhook_delivery_gone')
    const signing = { event: found.event, deliveryId: params.delivery, body, secret: endpoint.signingSecret }
    const { headers, expiresAt } = deps.deliveries.sign(signing)
    return { url, headers: { ...headers }, body, expiresAt }
  })
}
