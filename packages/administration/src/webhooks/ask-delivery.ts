import { webhookDeliveryId } from '@tidings/codec'
import { causeText, type DeliveryOrigin, type EndpointId, originText, Refused, TEST_EVENT, type WorkspaceId } from '@tidings/domain'
import { announceDue } from '@tidings/jobs'
import type { Pool } from 'pg'

/** Deliveries that may be asked for, for one endpoint within a minute: somebody else's server must not be called without end. */
const A_MINUTE = 10

type AskedOrigin = Exclude<DeliveryOrigin, { kind: 'event' }>
type DeliveryRequest = Readonly<{
  workspaceId: WorkspaceId
  endpointId: EndpointId
  event: string
  deliveryId: string
  origin: AskedOrigin
}>

/** `repeated`: it was asked for a moment ago, and is not delivered twice. `waits`: it waited already, and its turn is now. */
export type AskedState = 'asked' | 'waits' | 'repeated'

/** Lets a delivery wait for its turn like any other. Refused where too many were asked for. */
export async function askDelivery(
  pool: Pool,
  { workspaceId, endpointId, event, deliveryId, origin }: DeliveryRequest,
): Promise<AskedState> {
  const source = originText(origin)
  const { rows } = await pool.query<{ state: AskedState | 'too_many' | 'gone' }>(
    'select webhooks.ask_delivery($1, $2, $3, $4, $5, $6, $7) as state',
    [endpointId, workspaceId, deliveryId, event, source, causeText(source), A_MINUTE],
  )
  const state = rows[0]?.state ?? 'gone'
  if (state === 'gone') throw new Refused('webhook_not_found')
  if (state === 'too_many') throw new Refused('webhook_asked_too_often')
  announceDue(pool, 'webhooks')
  return state
}

/** A delivery of nothing but its envelope, so that its receiver can be tried. `testId`: the same one is the same delivery. */
export function testDelivery({ endpointId, testId }: Readonly<{ endpointId: EndpointId; testId: string }>) {
  const deliveryId = webhookDeliveryId({ event: TEST_EVENT, causeId: testId, endpointId })
  return { event: TEST_EVENT, deliveryId, origin: { kind: 'test', testId } } as const
}

/** Takes back what was asked for an endpoint that is deleted by now: the consumer that drops what waits may have been there before. */
export async function dropDeleted(pool: Pool, endpointId: EndpointId): Promise<void> {
  await pool.query('select webhooks.drop_waiting($1, 9223372036854775807, 9223372036854775807, true)', [endpointId])
}
