import type { EventIngested } from '@tidings/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { profilesOf } from './support/profiles.ts'
import { storedEvents } from './support/stored-log.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let receiver: Receiver
let acme: Client

const SECRET = 'the-secret-of-the-shop'

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' })
  acme = await world.workspace('acme', `connectors: [{ name: shop, secret: ${SECRET} }]`)
  const hook = { url: `${receiver.url}/carts`, events: ['cart.abandoned'] }
  dataOf(await acme.request('POST', '/public/webhooks', hook), 201)
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

const minutesAgo = (n: number) => new Date(Date.now() - n * 60_000).toISOString()
const send = async (body: object) => {
  const answer = await acme.request('POST', '/integrations/store-events', body, { 'X-Connector-Secret': SECRET })
  return dataOf<EventIngested>(answer, 200)
}
const buyer = async (name: string) => (await profilesOf(acme).create({ email: `${name}@carts.example` })).id
const waiting = async () => {
  const sql = "select due_at <= now() as ready from inbox.job where kind = 'abandoned-cart' and workspace_id = $1"
  return (await world.stores.pool.query<{ ready: boolean }>(sql, [acme.applied.workspace.id])).rows
}
const abandoned = async () =>
  (await storedEvents(world.stores.store)).filter(
    ({ stream, type, data }) =>
      stream.includes(acme.applied.workspace.id) && type === 'ActivityRecorded' && JSON.stringify(data).includes('cart.abandoned'),
  )

it('a cart that nothing became of within the hour reaches webhooks, one that was bought or is young does not', async () => {
  const [left, bought, young] = [await buyer('left'), await buyer('bought'), await buyer('young')]
  await send({ event: 'order.completed', contactId: bought, occurredAt: minutesAgo(30), data: { orderId: 7 } })
  await send({ event: 'checkout.started', contactId: bought, occurredAt: minutesAgo(61), data: { externalId: 'c-1' } })
  await send({ event: 'checkout.started', contactId: young, occurredAt: minutesAgo(5), data: { externalId: 'c-2' } })
  const occurredAt = minutesAgo(61)
  await send({ event: 'checkout.started', contactId: left, occurredAt, data: { externalId: 'c-3', amount: 99, currency: 'ILS' } })
  await receiver.wait('/carts', 1)
  // Every cart was looked at: only the young one waits.
  await eventually(waiting, (jobs) => jobs.length === 1 && jobs[0]?.ready === false)
  expect(await abandoned()).toHaveLength(1)
  expect(receiver.at('/carts').map(({ data }) => data)).toEqual([
    {
      contactId: left,
      occurredAt: new Date(Date.parse(occurredAt) + 3_600_000).toISOString(),
      externalId: 'c-3',
      orderId: null,
      amount: 99,
      currency: 'ILS',
    },
  ])
})
