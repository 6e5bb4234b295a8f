import { randomUUID } from 'node:crypto'
import { asCampaignId, asMessageId, type ContactId, type MessageEvent, messageStream } from '@tidings/domain'
import { rebuild } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import { untilVisible } from '@tidings/service/read-side'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { columnsThatHold, dump } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { formOf, SHOP } from './support/forms.ts'
import { hourFromNow } from './support/hour-from-now.ts'
import { listsOf } from './support/lists.ts'
import { outboxOf } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { PROVIDER_SECRET } from './support/receipts.ts'
import { wordsInLog } from './support/stored-log.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

/** Words that the workload says once each, where a person or a secret is named; none is a part of anything else. */
const personal = {
  email: 'wilhelmina.quux@private.example',
  moved: 'moved.quux@private.example',
  phone: '+972509876543',
  firstName: 'Wilhelmina',
  lastName: 'Featherstonehaugh',
  notes: 'allergic to peanuts',
  tag: 'vip-of-the-year',
  property: 'shoe size forty-two',
  replyTo: 'answers@private.example',
  fromName: 'Matilda from support',
  subject: 'your biopsy results',
  html: 'they are benign',
  merged: 'coupon-8812',
  large: 'a very long letter indeed',
  agent: 'Netscape Navigator 4.0',
  bounce: 'mailbox of Featherstonehaugh is full',
  text: 'the ring is in the blue vase',
  activity: 'a bicycle with one pedal',
  push: 'https://8.8.8.8/push/of-wilhelmina',
  browser: 'Mosaic of Wilhelmina',
  page: 'https://private.example/for-wilhelmina',
} as const

/** The secret of the first webhook endpoint, which signs every delivery. */
let signingSecret: string

let world: World
let receiver: Receiver
let wayne: Client
let contactId: string

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ TIDINGS_PROVIDER_SECRET: PROVIDER_SECRET, TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' })
  wayne = await world.workspace(
    'wayne',
    `
templates: [{ name: offer, channel: email, subject: "s {{code}}", html: "<p>{{firstName}} {{code}}</p>" }]
tags: [{ name: spring, color: accent }]
lists: [{ name: VIP, type: static }]
customFields: [{ key: size, label: Size, kind: text }]
smsSenderIds: [{ id: ACME, status: approved }]
credits: 10
timezone: UTC
quietHours: { from: "${hourFromNow(-2)}", to: "${hourFromNow(8)}" }
features: [embedded_forms]
formOrigins: ["${SHOP}"]
forms: [{ id: footer, list: VIP }]
flows: [{ name: After order, trigger: { type: custom_event, event: order_placed }, steps: [ { wait: { minutes: 60 } } ] }]
customEvents: [{ name: order_placed }]
users: [{ email: owner@wayne.example, password: correct horse battery, role: owner }]
campaigns: [{ name: Sale, channel: email, list: VIP, tags: [spring], template: offer }]`,
  )
  contactId = await workload()
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

const person = () => ({
  email: personal.email,
  phone: personal.phone,
  firstName: personal.firstName,
  lastName: personal.lastName,
  notes: personal.notes,
  tags: [personal.tag],
  customProperties: { [personal.property]: personal.property },
  emailConsent: 'subscribed',
})

/** Something of everything that writes. Answers with the contact whom the words name. */
const workload = async (): Promise<string> => {
  const profiles = profilesOf(wayne)
  const outbox = outboxOf(world)
  const headers = { 'User-Agent': personal.agent, 'Idempotency-Key': randomUUID() }
  const hook = { url: `${receiver.url}/deliveries`, events: ['*'] }
  signingSecret = dataOf<{ signingSecret: string }>(await wayne.request('POST', '/public/webhooks', hook), 201).signingSecret
  const { body } = await wayne.request('POST', '/public/profiles', person(), headers)
  const { id } = body.data as { id: ContactId }
  await profiles.patchByEmail({ email: personal.email, newEmail: personal.moved, city: personal.property, smsConsent: 'unsubscribed' })
  for (let i = 0; i < 20; i++)
    await profiles.upsert({ email: `crowd${i % 12}@example.com`, firstName: `n${i}`, emailConsent: i % 2 ? 'subscribed' : 'cleaned' })
  await profiles.blacklist({ email: 'crowd1@example.com', channel: 'both' })
  await profiles.lift({ email: 'crowd1@example.com', channel: 'sms' })

  const lists = listsOf(wayne)
  await lists.add(lists.id('VIP'), { emails: [personal.moved, 'crowd2@example.com', 'crowd3@example.com'] })
  await lists.remove(lists.id('VIP'), { emails: ['crowd3@example.com'] })

  const content = { subject: personal.subject, html: `<p>${personal.html}</p>`, fromName: personal.fromName, replyTo: personal.replyTo }
  const small = await wayne.send(personal.moved, content)
  const large = await wayne.send(personal.moved, { html: personal.large.repeat(4_000) })
  const merged = await wayne.send(personal.moved, { templateId: wayne.applied.templates.offer, templateFields: { code: personal.merged } })
  const blocked = await wayne.send('crowd1@example.com', content)
  for (const id of [small, large, merged]) await wayne.messageWith(id, 'sent')
  await wayne.messageWith(blocked, 'suppressed')
  await outbox.report((await outbox.of(large)).id, { status: 'delivered' })
  await outbox.report((await outbox.of(small)).id, { status: 'bounced', reason: personal.bounce })
  await outbox.report((await outbox.of(merged)).id, { status: 'complained' })
  await profiles.getWhen(
    id,
    ({ emailConsent, emailValidationState }) => emailConsent === 'unsubscribed' && emailValidationState === 'valid',
  )
  await profiles.getWhen(id, ({ emailSuppressed }) => emailSuppressed)
  await receiver.wait('/deliveries', 1)
  await registerBrowser(id)
  await visit()
  await pay(id)
  await waitForMorning()
  await answerCampaign(id)
  await sendByRelay(id)
  return id
}

/** A browser of the contact, whose address and labels name it. */
const registerBrowser = async (profileId: string): Promise<void> => {
  const browser = { endpoint: personal.push, keys: { p256dh: 'key', auth: 'secret' }, browser: personal.browser }
  expect((await wayne.request('POST', '/push/subscriptions', { profileId, ...browser })).status).toBe(200)
}

/** What a visitor of the shop does: signs up, and is seen with events, one of which begins a flow. */
const visit = async (): Promise<void> => {
  expect((await formOf(wayne).subscribe({ email: 'visitor@example.com', formId: 'footer', sourceUrl: personal.page })).status).toBe(200)
  for (const event of ['order_placed', 'bicycle_seen']) {
    const seen = { event, email: 'visitor@example.com', properties: { what: personal.activity } }
    expect((await wayne.request('POST', '/events/ingest', seen)).status).toBe(200)
  }
}

/** A mail of a campaign whose receipt came before the provider's answer, and a click in it. */
const answerCampaign = async (contact: ContactId): Promise<void> => {
  const { id: workspaceId } = wayne.applied.workspace
  const campaign = { campaignId: asCampaignId(wayne.applied.campaigns.Sale ?? ''), variant: 0 }
  const of = { messageId: asMessageId(randomUUID()), contactId: contact, channel: 'email', campaign } as const
  const from = { to: personal.moved, fromEmail: wayne.fromEmail, fromName: null, replyTo: null }
  const content = { subject: personal.subject, html: personal.html, text: null }
  const events: readonly MessageEvent[] = [
    { type: 'EmailAccepted', data: { ...of, ...from, content, contentId: null, templateId: null, kind: 'marketing' } },
    { type: 'MessageDelivered', data: of },
    { type: 'EmailClicked', data: { ...of, machine: false, link: 0, url: personal.page } },
  ]
  const context = { commandId: of.messageId, workspaceId, actor: 'test', requestId: of.messageId, at: new Date().toISOString() }
  await world.stores.log.append(messageStream(workspaceId, of.messageId), 'no_stream', events, context)
}

/** A mail that the relay calls by a name of its own. */
const sendByRelay = async (contact: ContactId): Promise<void> => {
  const { id: workspaceId } = wayne.applied.workspace
  const of = { messageId: asMessageId(randomUUID()), contactId: contact, channel: 'email' } as const
  const from = { to: personal.moved, fromEmail: wayne.fromEmail, fromName: null, replyTo: null }
  const content = { subject: personal.subject, html: personal.html, text: null }
  const events: readonly MessageEvent[] = [
    { type: 'EmailAccepted', data: { ...of, ...from, content, contentId: null, templateId: null, kind: 'transactional' } },
    { type: 'MessageSent', data: { ...of, provider: 'smtp', providerMessageId: '4F2A91C0B7' } },
  ]
  const context = { commandId: of.messageId, workspaceId, actor: 'test', requestId: of.messageId, at: new Date().toISOString() }
  await world.stores.log.append(messageStream(workspaceId, of.messageId), 'no_stream', events, context)
}

/** A marketing text in the workspace's quiet hours: it waits. */
const waitForMorning = async (): Promise<void> => {
  const phone = '+972501111111'
  const reader = dataOf<{ id: ContactId }>(await wayne.request('POST', '/public/profiles', { phone, smsConsent: 'subscribed' }), 201).id
  const { id: workspaceId } = wayne.applied.workspace
  const of = {
    messageId: asMessageId(randomUUID()),
    contactId: reader,
    channel: 'sms',
    to: phone,
    from: 'ACME',
    body: personal.text,
  } as const
  const text: MessageEvent = { type: 'SmsAccepted', data: { ...of, credits: 1, segments: 1, templateId: null, kind: 'marketing' } }
  const context = { commandId: of.messageId, workspaceId, actor: 'test', requestId: of.messageId, at: new Date().toISOString() }
  await world.stores.log.append(messageStream(workspaceId, of.messageId), 'no_stream', [text], context)
}

/** A text message to the contact, until its credits are spent. */
const pay = async (to: string): Promise<void> => {
  const { body, status } = await wayne.request('POST', '/public/messages/sms', { contactId: to, senderId: 'ACME', body: personal.text })
  expect(status).toBe(202)
  const { messageId } = body.data as { messageId: string }
  await wayne.messageWith(messageId, 'sent')
  const balances = () => world.stores.pool.query<{ balance: string; held: string }>('select balance, held from read.wallets')
  await eventually(balances, ({ rows }) => Number(rows[0]?.balance) === 9 && Number(rows[0]?.held) === 0)
}

describe('what can be read', () => {
  it('is the same, byte for byte, when every table is built anew from the log', async () => {
    const { pool, workPool, log } = world.stores
    expect(await untilVisible(pool, await log.head(), { timeoutMs: 180_000 })).toBe(true)
    const live = await dump(pool, 'read')
    const empty = Object.entries(live).flatMap(([table, rows]) => (rows.length === 0 ? [table] : []))
    expect(empty).toEqual([])
    for (const projection of projections) expect((await rebuild({ projection, log, pool: workPool })).parked).toBe(0)
    expect(await dump(pool, 'read')).toEqual(live)
  })

  it('goes on following the log afterwards', async () => {
    const { body } = await wayne.request('PATCH', `/public/profiles/${contactId}`, { locale: 'he' })
    expect(body.data).toMatchObject({ locale: 'he' })
    expect(await profilesOf(wayne).get(contactId)).toMatchObject({ locale: 'he', firstName: personal.firstName })
  })
})

describe('what is stored beside the read side', () => {
  const schemas = ['es', 'keys', 'ops', 'inbox', 'webhooks']

  it('says nothing about a person in clear', async () => {
    expect(await columnsThatHold(world.stores.pool, schemas, Object.values(personal))).toEqual([])
    expect(await wordsInLog(world.stores.store, Object.values(personal))).toEqual([])
  })

  it('holds no key and no secret in clear', async () => {
    const { text: masterKey } = world.stores.masters.current()
    const secrets = [wayne.key, wayne.key.slice('sk_evt_'.length), masterKey, signingSecret, PROVIDER_SECRET]
    expect(await columnsThatHold(world.stores.pool, [...schemas, 'read', 'outbox'], secrets)).toEqual([])
    expect(await wordsInLog(world.stores.store, secrets)).toEqual([])
  })

  it('is looked through in a way that finds what is there', async () => {
    const found = await columnsThatHold(world.stores.pool, ['read'], [personal.lastName])
    expect(found).toContain(`read.profiles.last_name: ${personal.lastName}`)
    expect(await wordsInLog(world.stores.store, [contactId, personal.lastName])).toEqual([contactId])
  })
})

it('metrics name no person', async () => {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  expect(text).toContain('/api/v1/public/profiles')
  for (const word of [...Object.values(personal), contactId, wayne.key]) expect(text).not.toContain(word)
})
