import { createCommandRunner } from '@tidings/commands'
import { asEndpointId, asMessageId, type WorkspaceId, webhooks, webhooksStream } from '@tidings/domain'
import { type DeliveryExplained, explainDelivery, explainMessage, workspacesOfDelivery } from '@tidings/evidence'
import { createProvisioner } from '@tidings/provisioning'
import { PATIENT_MS } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { outboxOf } from './support/outbox.ts'
import { newNumber, SENDER, texting } from './support/texts.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let receiver: Receiver
let acme: Client
let workspaceId: WorkspaceId

beforeAll(async () => {
  receiver = await startReceiver()
  // A second try comes after an hour: what failed once waits. A first one is under way for as long as a test looks at it.
  world = await startWorld({
    TIDINGS_WEBHOOK_ALLOW_LOCAL: '1',
    TIDINGS_WEBHOOK_BACKOFF_MS: '3600000',
    TIDINGS_WEBHOOK_TIMEOUT_MS: '60000',
  })
  acme = await world.workspace('acme', texting)
  workspaceId = acme.applied.workspace.id
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

const endpoint = async (path: string, events: readonly string[]): Promise<string> =>
  dataOf<{ id: string }>(await acme.request('POST', '/public/webhooks', { url: `${receiver.url}${path}`, events }), 201).id
const pause = async (endpointId: string) => {
  const provisioner = createProvisioner(createCommandRunner({ log: world.stores.log, deadlineMs: PATIENT_MS }))
  await provisioner.execute(workspaceId, webhooks, webhooksStream(workspaceId), {
    type: 'PauseWebhook',
    data: { endpointId: asEndpointId(endpointId) },
  })
}
const explained = (deliveryId: string, isWanted: (of: DeliveryExplained | null) => boolean) =>
  eventually(() => explainDelivery(world.stores, { workspaceId, deliveryId }), isWanted)
const text = async (): Promise<string> => {
  const body = { to: newNumber(), senderId: SENDER, body: 'Ready' }
  const { messageId } = dataOf<{ messageId: string }>(await acme.request('POST', '/public/messages/sms', body), 202)
  await acme.messageWith(messageId, 'sent')
  await outboxOf(world).report((await outboxOf(world).of(messageId)).id, { status: 'delivered' })
  return messageId
}

it('a delivery that failed waits, with its next try, until its endpoint is paused', async () => {
  receiver.reply(() => 503)
  const id = await endpoint('/pausing', ['contact.created'])
  await acme.request('POST', '/public/profiles', { email: 'ada@people.example' })
  const [received] = await receiver.wait('/pausing', 1)
  const deliveryId = received?.deliveryId ?? ''
  const waits = await explained(deliveryId, (of) => of?.delivery.tries.length === 1 && of.delivery.nextAt !== null)
  expect(waits?.delivery).toMatchObject({
    status: 'waits',
    because: 'the receiver answered 503',
    tries: [{ attempt: 1, outcome: 'retrying', status: 503 }],
  })
  expect(waits?.facts.at(-1)).toMatchObject({ type: 'ContactCreated', says: `waits until ${waits?.delivery.nextAt} for try 2` })

  await pause(id)
  const dropped = await explained(deliveryId, (of) => of?.delivery.status === 'dropped')
  expect(dropped?.delivery).toMatchObject({ nextAt: null, because: expect.stringMatching(/^the endpoint was paused at \S+Z$/) })
  expect(dropped?.facts.at(-1)).toMatchObject({ type: 'WebhookEndpointPaused', says: 'endpoint paused: what waited was dropped' })
})

it('a delivery that was never tried is found by the id that its message names', async () => {
  await endpoint('/held', ['sms.delivered'])
  receiver.reply(() => 'never')
  const messageId = asMessageId(await text())
  const [received] = await receiver.wait('/held', 1)
  const whole = await eventually(
    () => explainMessage(world.stores, { workspaceId, messageId }),
    (now) => now?.facts.some(({ says }) => says.endsWith(': waits')) ?? false,
  )
  const explanation = whole?.facts.find(({ says }) => says.startsWith('webhook sms.delivered'))?.says ?? ''
  expect(explanation).toBe(`webhook sms.delivered to ${receiver.url}/held, delivery ${received?.deliveryId}: waits`)
  const deliveryId = received?.deliveryId ?? ''
  expect(await workspacesOfDelivery(world.stores, deliveryId)).toContain(workspaceId)
  const waits = await explainDelivery(world.stores, { workspaceId, deliveryId })
  expect(waits?.delivery).toMatchObject({ status: 'waits', event: 'sms.delivered', because: null, nextAt: null, tries: [] })
  expect(waits?.facts.map(({ says }) => says)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(new RegExp(`^fired sms\\.delivered, about message ${messageId} and contact `)),
      'waits for its first try',
    ]),
  )
})

it('a deleted endpoint is forgotten with its tries', async () => {
  receiver.reply(() => 503)
  const id = await endpoint('/deleted', ['contact.created'])
  await acme.request('POST', '/public/profiles', { email: 'eve@people.example' })
  const [received] = await receiver.wait('/deleted', 1)
  const deliveryId = received?.deliveryId ?? ''
  await explained(deliveryId, (of) => of !== null)
  await acme.request('DELETE', `/public/webhooks/${id}`)
  // Its tries go with it: then nothing is known of the delivery any more.
  expect(await explained(deliveryId, (of) => of === null)).toBeNull()
})

it('a delivery that ends between two looks at it has ended, and does not vanish', async () => {
  receiver.reply(() => 503)
  await endpoint('/ending', ['contact.created'])
  await acme.request('POST', '/public/profiles', { email: 'noa@people.example' })
  const [received] = await receiver.wait('/ending', 1)
  const deliveryId = received?.deliveryId ?? ''
  await explained(deliveryId, (of) => of?.delivery.tries.length === 1 && of.delivery.nextAt !== null)
  const { pool } = world.stores
  const end = async (): Promise<void> => {
    await pool.query(
      `insert into webhooks.attempt (endpoint_id, slot, workspace_id, number, delivery_id, event, source, attempt, outcome, status, duration_ms, at)
       select endpoint_id, 99, workspace_id, number + 1, delivery_id, event, source, attempt + 1, 'delivered', 200, 1, clock_timestamp()
       from webhooks.attempt where delivery_id = $1`,
      [deliveryId],
    )
    await pool.query('delete from webhooks.delivery where endpoint_id = (select endpoint_id from webhooks.attempt where slot = 99)')
  }
  let looks = 0
  const query = async (...asked: Parameters<typeof pool.query>) => {
    if (String(asked[0]).includes('from webhooks.delivery') && ++looks === 1) await end()
    return await pool.query(...asked)
  }
  const between = { ...world.stores, pool: Object.assign(Object.create(pool), { query }) }
  const found = await explainDelivery(between, { workspaceId, deliveryId })
  expect(found?.delivery.tries.map(({ outcome }) => outcome)).toEqual(['retrying', 'delivered'])
})
