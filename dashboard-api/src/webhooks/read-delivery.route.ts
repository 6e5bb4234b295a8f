import { DeliveryParams, WebhookDelivery } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import { explainDelivery } from '@tidings/evidence'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { bodyOf, existingDelivery } from './endpoints.ts'

const schema = {
  operationId: 'webhooks.readDelivery',
  summary: 'One delivery: what it says, its tries, and the facts that led to it',
  tags: ['webhooks'],
  params: DeliveryParams,
  response: { 200: WebhookDelivery },
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['webhook_delivery_not_found'] } as const

/** What a signature is in: it is made for who asks for it, and shown nowhere else. */
const SIGNED = /^(x-sender-signature|webhook-signature|webhook-timestamp)$/

export function readDelivery(app: App, deps: DashboardDependencies): void {
  app.get('/webhooks/:id/deliveries/:delivery', { schema, config }, async ({ tenant: { workspaceId }, params }) => {
    const of = { workspaceId, endpointId: params.id, deliveryId: params.delivery }
    const found = await existingDelivery(deps, of)
    const [explained, body] = await Promise.all([explainDelivery(deps, of), bodyOf(deps, { ...of, found })])
    if (explained === null) throw new Refused('webhook_delivery_not_found')
    const { tries, workspaceId: _, ...delivery } = explained.delivery
    const { headers } = deps.deliveries.sign({ event: found.event, deliveryId: params.delivery, body: body ?? '', secret: 'none' })
    return {
      ...delivery,
      body,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !SIGNED.test(name))),
      tries: [...tries],
      facts: [...explained.facts],
    }
  })
}
