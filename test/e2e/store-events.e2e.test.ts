import type { EventIngested, EventItem, Page } from '@tidings/contracts'
import { WEBHOOK_EVENTS } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf, outcome, uncoded } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { storedEvents } from './support/stored-log.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let receiver: Receiver
let acme: Client
let other: Client

const SECRET = 'the-secret-of-the-shop'
const OTHER_SECRET = 'the-secret-of-another-shop'
const file = (secret: string) => `connectors: [{ name: shop, secret: ${secret} }, { name: reviews, secret: ${secret}-of-reviews }]`

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' })
  acme = await world.workspace('acme', file(SECRET))
  other = await world.workspace('other', file(OTHER_SECRET))
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

type Connector = Readonly<{ client?: Client; secret?: string }>
const report = ({ url, slug }: Client, body: unknown, headers: Readonly<Record<string, string>>) =>
  fetch(`${url}/api/v1/integrations/store-events`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Sender-Tenant': slug, ...headers },
    body: JSON.stringify(body),
  }).then(async (response) => ({ status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }))
const send = (body: unknown, { client = acme, secret = SECRET }: Connector = {}) => report(client, body, { 'X-Connector-Secret': secret })
const ok = async (body: unknown, of?: Connector) => dataOf<EventIngested>(await send(body, of), 200)

let people = 0
const person = async (client = acme) => (await profilesOf(client).create({ email: `buyer-${++people}@store.example` })).id
let paths = 0
const endpoint = async (events: readonly string[], client = acme): Promise<string> => {
  const path = `/store-${++paths}`
  dataOf(await client.request('POST', '/public/webhooks', { url: `${receiver.url}${path}`, events }), 201)
  return path
}

describe('a connector', () => {
  const body = { event: 'order.completed', email: 'refused@store.example' }
  const missing = uncoded(401, 'Missing tenant or connector secret')
  const invalid = uncoded(401, 'Invalid connector secret')

  it('is known by its secret alone', async () => {
    expect(outcome(await report(acme, body, {}))).toEqual(missing)
    expect(outcome(await report(acme, body, { 'X-API-Key': acme.key }))).toEqual(missing)
    expect(outcome(await report(acme, body, { 'X-Sender-Tenant': '', 'X-Connector-Secret': SECRET }))).toEqual(missing)
    for (const secret of [`${SECRET}x`, SECRET.slice(1), 'x'.repeat(300), OTHER_SECRET])
      expect(outcome(await send(body, { secret }))).toEqual(invalid)
    expect(outcome(await report(acme, body, { 'X-Sender-Tenant': 'no-such', 'X-Connector-Secret': SECRET }))).toEqual(invalid)
    expect(outcome(await send({ nonsense: true }, { secret: 'wrong-secret' }))).toEqual(invalid)
    expect(await ok({ ...body, email: 'known@store.example' })).toMatchObject({ status: 'ok', created: true })
    expect(
      await ok({ ...body, email: 'known@store.example', event: 'review.submitted' }, { secret: `${SECRET}-of-reviews` }),
    ).toMatchObject({
      status: 'ok',
    })
  })

  it('speaks for its own workspace, named by slug or id, and reaches no contact of another', async () => {
    const theirs = await person(other)
    expect(await ok({ event: 'order.completed', contactId: theirs })).toEqual({
      status: 'no_contact',
      enrolled: 0,
      contactId: null,
      created: false,
    })
    const named = { 'X-Sender-Tenant': acme.applied.workspace.id.toUpperCase(), 'X-Connector-Secret': SECRET }
    expect((await report(acme, { event: 'order.completed', contactId: theirs }, named)).status).toBe(200)
  })

  it('loses its old secret with the new one, at once', async () => {
    const rotating = await world.workspace('rotating', file(SECRET))
    expect((await send({ event: 'order.completed' }, { client: rotating })).status).toBe(200)
    await world.workspace('rotating', file(OTHER_SECRET))
    expect(outcome(await send({ event: 'order.completed' }, { client: rotating }))).toEqual(invalid)
    expect((await send({ event: 'order.completed' }, { client: rotating, secret: OTHER_SECRET })).status).toBe(200)
  })

  it('of a workspace that is not active is refused', async () => {
    const held = await world.workspace('held-store', file(SECRET))
    await world.operate(held.applied.workspace.id, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
    expect(outcome(await send({ event: 'order.completed' }, { client: held }))).toEqual(uncoded(403, 'Workspace is not active'))
  })

  it('keeps its secret out of the log and the tables', async () => {
    for (const { data } of await storedEvents(world.stores.store)) expect(JSON.stringify(data)).not.toContain(SECRET)
  })
})

describe('nothing is written, and one sentence says why, of', () => {
  const email = 'never@store.example'
  const now = Date.now()
  const refusals: readonly (readonly [string, unknown, string])[] = [
    ['a name that stores do not report', { event: 'contact.created', email }, 'event must be the name of a store, review or loyalty event'],
    ['a custom name', { event: 'order_placed', email }, 'event must be the name of a store, review or loyalty event'],
    ['a key of another group', { event: 'order.completed', email, data: { points: 1 } }, 'data.property points should not exist'],
    ['a value of another kind', { event: 'order.completed', email, data: { amount: '12' } }, 'data.amount must be a number'],
    [
      'a long value',
      { event: 'order.completed', email, data: { currency: 'x'.repeat(256) } },
      'data.currency must be shorter than or equal to 255 characters',
    ],
    ['a nested value', { event: 'review.submitted', email, data: { vendor: { a: 1 } } }, 'data.vendor must be a string'],
    [
      'a time that is none',
      { event: 'order.completed', email, occurredAt: 'yesterday' },
      'occurredAt must be a valid ISO 8601 date string',
    ],
    [
      'a time before 1970',
      { event: 'order.completed', email, occurredAt: '0001-01-01' },
      'occurredAt must be a valid ISO 8601 date string',
    ],
    [
      'a time to come',
      { event: 'order.completed', email, occurredAt: new Date(now + 3_600_000).toISOString() },
      'occurredAt must not be in the future',
    ],
    ['an unknown field', { event: 'order.completed', email, properties: {} }, 'property properties should not exist'],
  ]
  it.each(refusals)('%s', async (_, body, sentence) => {
    expect(outcome(await send(body))).toEqual(uncoded(400, sentence))
    expect((await acme.request('GET', `/public/profiles/lookup?email=${email}`)).status).toBe(404)
  })
})

describe('an event of a store', () => {
  const occurredAt = '2026-01-02T03:04:05.678Z'

  it('reaches webhooks under its own name, with exactly the keys of its group', async () => {
    const path = await endpoint(['order.completed'])
    const contactId = await person()
    await ok({
      event: 'order.completed',
      contactId,
      occurredAt: '2026-01-02T05:04:05.678+02:00',
      data: { orderId: 7, amount: 12.5, currency: 'ILS' },
    })
    expect((await receiver.wait(path, 1))[0]).toMatchObject({ event: 'order.completed' })
    expect(receiver.at(path)[0]?.data).toEqual({ externalId: null, orderId: '7', amount: 12.5, currency: 'ILS', contactId, occurredAt })
  })

  it('is reported under each of its names', async () => {
    const path = await endpoint(['*'], other)
    const contactId = await person(other)
    const stores = WEBHOOK_EVENTS.filter((name) => /^(order|shipment|checkout|cart|review|loyalty)\./.test(name))
    for (const event of stores) await ok({ event, contactId, occurredAt }, { client: other, secret: OTHER_SECRET })
    const received = (await receiver.wait(path, stores.length + 1)).filter(({ event }) => event !== 'contact.created')
    expect(received.map(({ event }) => event).toSorted()).toEqual(stores.toSorted())
    const [order, review, loyalty] = ['order.refunded', 'review.request_ready', 'loyalty.referral'].map(
      (name) => received.find(({ event }) => event === name)?.data,
    )
    expect(order).toEqual({ externalId: null, orderId: null, amount: null, currency: null, contactId, occurredAt })
    expect(review).toEqual({ vendor: null, rating: null, productId: null, published: false, orderId: null, contactId, occurredAt })
    expect(loyalty).toEqual({ vendor: null, points: null, tier: null, rewardCode: null, contactId, occurredAt })
  })

  it('counts once for the minute in which it occurred, whenever it is reported', async () => {
    const contactId = await person()
    const body = { event: 'order.completed', contactId, occurredAt }
    expect(await Promise.all(Array.from({ length: 20 }, () => ok(body)))).toEqual(
      Array.from({ length: 20 }, () => ({ status: 'ok', enrolled: 0, contactId, created: false })),
    )
    await ok({ ...body, occurredAt: '2026-01-01T23:00:00Z' })
    const sql = 'select count::int, last_at from read.activity_facts where contact_id = $1'
    await expect
      .poll(async () => (await world.stores.pool.query(sql, [contactId])).rows)
      .toEqual([{ count: 2, last_at: new Date(occurredAt) }])
  })

  it('with the number of an order counts once for its connector, and for another shop of the workspace too', async () => {
    const contactId = await person()
    const body = { event: 'order.completed', contactId, data: { orderId: '1001' } }
    const facts = async () =>
      (await world.stores.pool.query('select count::int from read.activity_facts where contact_id = $1', [contactId])).rows
    for (const at of ['2026-01-02T03:04:05Z', '2026-01-02T04:04:05Z']) await ok({ ...body, occurredAt: at })
    await expect.poll(facts).toEqual([{ count: 1 }])
    await ok({ ...body, occurredAt: '2026-01-02T03:04:05Z' }, { secret: `${SECRET}-of-reviews` })
    await expect.poll(facts).toEqual([{ count: 2 }])
  })

  it('is no custom event of the catalogue', async () => {
    await ok({ event: 'order.completed', contactId: await person() })
    expect(dataOf<Page<EventItem>>(await acme.request('GET', '/public/events'), 200).total).toBe(WEBHOOK_EVENTS.length)
  })
})

it('custom events reach webhooks with their properties, by name and by wildcard', async () => {
  const [named, all] = [await endpoint(['shop.viewed']), await endpoint(['*'])]
  const contactId = await person()
  // The clocks of a service and of its client may differ.
  const before = new Date(Date.now() - 60_000).toISOString()
  for (const event of ['shop.viewed', 'order_placed', 'shop.viewed'])
    dataOf(await acme.request('POST', '/events/ingest', { event, contactId, properties: { sku: 'A', nested: [1] } }), 200)
  const [viewed] = await receiver.wait(named, 1)
  expect(viewed?.data).toEqual({ contactId, occurredAt: expect.any(String), properties: { sku: 'A', nested: [1] } })
  expect(String(viewed?.data.occurredAt) >= before).toBe(true)
  // What comes first may come twice, on either side of a full minute.
  await expect
    .poll(() => receiver.at(all).map(({ event }) => event))
    .toEqual(expect.arrayContaining(['contact.created', 'shop.viewed', 'order_placed']))
})
