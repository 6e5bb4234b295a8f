import type { MessageRecord } from '@tidings/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { outboxOf } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { PROVIDER_SECRET, signed } from './support/receipts.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let receiver: Receiver
let acme: Client
beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({
    ...{ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '20', TIDINGS_PROVIDER_SECRET: PROVIDER_SECRET },
  })
  acme = await world.workspace('acme', 'credits: 100\nsmsSenderIds: [{ id: Acme, status: approved }]')
  dataOf(await acme.request('POST', '/public/webhooks', { url: `${receiver.url}/all`, events: ['*'] }), 201)
  dataOf(await acme.request('POST', '/public/webhooks', { url: `${receiver.url}/bounced`, events: ['email.bounced'] }), 201)
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

const report = async (messageId: string, event: object): Promise<void> => {
  const body = JSON.stringify([{ ...event, messageId }])
  const headers = { 'Content-Type': 'application/json', 'X-Tidings-Signature': signed(body) }
  expect((await fetch(`${world.url}/api/v1/providers/email/events`, { method: 'POST', headers, body })).status).toBe(200)
}
const text = async (body: object): Promise<string> =>
  dataOf<{ messageId: string }>(await acme.request('POST', '/public/messages/sms', { senderId: 'acme', body: 'Hi', ...body }), 202)
    .messageId

/** The reports about a message, once nothing is on its way any more, by the name of the event. */
const reportsOf = async (messageId: string) => {
  const witnesses = receiver.at('/all').filter(({ event }) => event === 'contact.created').length
  await profilesOf(acme).create({ email: `witness-${witnesses}@example.com` })
  await eventually(
    async () => receiver.at('/all').filter(({ event }) => event === 'contact.created').length,
    (count) => count > witnesses,
  )
  await eventually(
    async () => (await world.stores.pool.query<{ n: number }>('select count(*)::int as n from webhooks.delivery')).rows[0]?.n,
    (waiting) => waiting === 0,
  )
  const reported = receiver.at('/all').filter(({ data }) => data.messageId === messageId)
  return reported.map(({ event, data }) => [event, data] as const).sort(([a], [b]) => a.localeCompare(b))
}

it('a mail tells of each move of its status once, with its reason', async () => {
  const messageId = await acme.send('ada@example.com')
  await acme.messageWith(messageId, 'sent')
  const { id: contactId } = await profilesOf(acme).lookup('ada@example.com')
  const { providerMessageId } = dataOf<MessageRecord>(await acme.request('GET', `/public/messages/${messageId}`), 200)
  const reports = ['delivered', 'delivered', 'bounced', 'delivered', 'complained', 'bounced'] as const
  for (const type of reports) await report(messageId, { type, ...(type === 'bounced' && { hard: true }) })
  await acme.messageWith(messageId, 'complained')
  const every = { contactId, occurredAt: expect.any(String), channel: 'email', messageId, providerMessageId }
  expect(await reportsOf(messageId)).toEqual([
    ['email.bounced', { ...every, reason: 'hard_bounce' }],
    ['email.complained', { ...every, reason: 'spam_complaint' }],
    ['email.delivered', every],
    ['email.sent', every],
  ])
  expect(receiver.at('/bounced').map(({ event }) => event)).toEqual(['email.bounced'])
})

it('a mail that is not sent tells why, in its own words', async () => {
  await profilesOf(acme).create({ email: 'eve@example.com' })
  await profilesOf(acme).blacklist({ email: 'eve@example.com', channel: 'email' })
  const messageId = await acme.send('eve@example.com')
  const { failureReason } = (await acme.messageWith(messageId, 'suppressed')) as MessageRecord
  const [[event, data] = []] = await reportsOf(messageId)
  expect([event, data]).toEqual(['email.suppressed', expect.objectContaining({ providerMessageId: null, reason: failureReason })])
})

it('a text message keeps its events of the catalogue beside the new ones; a passcode has none', async () => {
  const messageId = await text({ to: '+972501230001' })
  await acme.messageWith(messageId, 'sent')
  const { id } = await outboxOf(world).of(messageId)
  await outboxOf(world).report(id, { status: 'delivered' })
  await acme.messageWith(messageId, 'delivered')
  dataOf(await acme.request('POST', '/otp/send', { phone: '+972501230009' }), 200)
  const reported = await reportsOf(messageId)
  expect(reported.map(([event]) => event)).toEqual(['sms.delivered', 'sms.sent'])
  expect(reported.map(([, data]) => Object.keys(data as object))).toEqual(
    Array(2).fill(['contactId', 'occurredAt', 'channel', 'messageId', 'providerMessageId']),
  )
  expect(receiver.at('/all').filter(({ data }) => data.contactId === null)).toEqual([])
})

it('their names are reserved, and stand outside the catalogue', async () => {
  for (const event of ['email.sent', 'push.suppressed', 'sms.bounced']) {
    const answer = await acme.request('POST', '/events/ingest', { event, email: 'ada@example.com' })
    expect(outcome(answer)).toEqual(uncoded(400, 'event is a reserved name'))
  }
  const listed = dataOf<{ items: { value: string }[] }>(await acme.request('GET', '/public/events?limit=100'), 200).items
  expect(listed.filter(({ value }) => value.startsWith('email.')).map(({ value }) => value)).toEqual(['email.opened', 'email.clicked'])
})
