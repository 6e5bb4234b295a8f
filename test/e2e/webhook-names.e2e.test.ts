import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf } from './support/answers.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '20' })
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

const NAMES = new Map([
  ['viewed', 'viewed'],
  ['Viewed: 50% off', 'Viewed: 50% off'],
  ['הזמנה', '%D7%94%D7%96%D7%9E%D7%A0%D7%94'],
  ['evé', 'ev%C3%A9'],
  ['a\r\nx-other: b', 'a%0D%0Ax-other: b'],
  ['   ', '%20%20%20'],
])

test('a custom event of any name is delivered to an endpoint with *, and its header holds the name', async () => {
  const acme = await world.workspace('acme')
  dataOf(await acme.request('POST', '/public/webhooks', { url: `${receiver.url}/all`, events: ['*'] }), 201)
  const { id } = dataOf<{ id: string }>(await acme.request('POST', '/public/profiles', { email: 'ada@example.com' }), 201)
  for (const event of NAMES.keys()) dataOf(await acme.request('POST', '/events/ingest', { event, contactId: id }), 200)
  const received = await receiver.wait('/all', NAMES.size + 1)
  const custom = received.filter(({ event }) => event !== 'contact.created')
  expect(new Map(custom.map(({ event, headers }) => [event, headers['x-sender-event']]))).toEqual(NAMES)
  expect(custom.map(({ headers }) => headers['x-other'])).toEqual(custom.map(() => undefined))
})
