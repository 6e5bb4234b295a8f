import type { CampaignOption, Page } from '@tidings/contracts'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import { type Client, clientOf, shownFetch } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { listsOf } from './support/lists.ts'
import { outboxOf, type SentEmail } from './support/outbox.ts'
import { runTidings, type ServiceProcess } from './support/service-process.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'

let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let acme: Client
let outbox: ReturnType<typeof outboxOf>
let receiver: Receiver
let id: string
let ann: string
let bob: string
let cat: string

const FILE = `workspace: { slug: acme, name: Acme }
apiKeys: [{ name: test }]
senderDomains: [{ domain: acme.example, verified: true }]
senderAddresses: [{ email: hello@acme.example, name: Hello, verified: true }]
templates:
  - { name: short, channel: email, subject: "Hi {{firstName}}", html: "<p><a href='https://shop.example'>Shop</a> <a href='{{unsubscribeUrl}}'>No more</a></p>" }
  - { name: long, channel: email, subject: "Dear {{firstName}}", html: "<p>A long text</p>" }
lists: [{ name: VIP, type: static }]
campaigns:
  - { name: Sale, channel: email, list: VIP, from: hello@acme.example, variants: [ { template: short, weight: 1000000 }, { template: long, weight: 1 } ] }`

const campaign = (...args: readonly string[]) => installation.tidings(['campaign', ...args, '--workspace', 'acme', '--id', id])
const person = async (firstName: string, emailConsent?: string): Promise<string> => {
  const body = { email: `${firstName.toLowerCase()}@people.example`, firstName, ...(emailConsent && { emailConsent }) }
  return dataOf<{ id: string }>(await acme.request('POST', '/public/profiles', body), 201).id
}

beforeAll(async () => {
  database = await testDatabase()
  receiver = await startReceiver()
  installation = await install(database.url, { TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' })
  service = await installation.start()
  const applied = (await installation.tidings(['apply', '-f', '-'], FILE)) as Client['applied']
  acme = clientOf({ url: `http://127.0.0.1:${installation.env.PORT}`, applied, shown: installation.shown })
  outbox = outboxOf(acme)
  id = applied.campaigns.Sale ?? ''
  ann = await person('Ann', 'subscribed')
  bob = await person('Bob', 'subscribed')
  cat = await person('Cat')
  const lists = listsOf(acme)
  await lists.add(lists.id('VIP'), { contactIds: [ann, cat, bob] })
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await installation?.close()
  await receiver?.close()
  await database?.drop()
})

const status = async () => dataOf<Page<CampaignOption>>(await acme.request('GET', '/public/campaigns'), 200).items[0]?.status
const linkIn = ({ html }: SentEmail, path: string): string => new RegExp(`["']([^"']*/${path}[?]t=[\\w-]+)["']`).exec(html)?.[1] ?? 'none'
const mailTo = async (to: string): Promise<SentEmail> => {
  const mails = await outbox.list(`?to=${to}`)
  if (mails[0] === undefined || mails.length > 1) throw new Error(`${to} has ${mails.length} mails`)
  return mails[0]
}
const none = { sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0, unsubscribed: 0, skipped: {}, queued: 0 }

describe('a campaign by its commands', () => {
  it('is previewed for a contact, with what would keep it back', async () => {
    expect(await campaign('preview', '--contact', ann)).toMatchObject({
      contactId: ann,
      to: 'ann@people.example',
      from: 'Hello <hello@acme.example>',
      subject: 'Hi Ann',
      variant: 1,
      block: null,
    })
    expect(await campaign('preview', '--contact', cat, '--variant', '2')).toMatchObject({
      subject: 'Dear Cat',
      block: { outcome: 'skipped', reason: 'no_consent', until: null },
    })
    const unknown = await runTidings(['campaign', 'preview', '--workspace', 'acme', '--id', id, '--contact', id], installation.env)
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no such contact.') })
  })

  it('is tried by a copy that is marked, and counts nothing', async () => {
    const copy = (await campaign('test', '--to', 'Team@acme.example', '--contact', ann)) as { messageId: string; to: string }
    expect(copy.to).toBe('team@acme.example')
    await acme.messageWith(copy.messageId, 'sent')
    expect(await outbox.of(copy.messageId)).toMatchObject({ to: 'team@acme.example', subject: '[Test] Hi Ann' })
    expect(await campaign('show')).toMatchObject({
      id,
      name: 'Sale',
      status: 'draft',
      audience: 0,
      ...none,
      startedAt: null,
      finishedAt: null,
    })
  })

  it('is sent, and shows what became of it', async () => {
    expect(await status()).toBe('draft')
    await acme.request('POST', '/public/webhooks', { url: `${receiver.url}/sent`, events: ['campaign.sent'] })
    await campaign('schedule', '--at', '2100-01-01T00:00:00Z')
    expect(await status()).toBe('scheduled')
    await campaign('start')
    await eventually(status, (now) => now === 'sent')
    expect(await campaign('show', '--watch')).toMatchObject({
      status: 'sent',
      audience: 2,
      waiting: 0,
      ...none,
      sent: 2,
      startedAt: expect.any(String),
      finishedAt: expect.any(String),
      variants: [
        { templateId: acme.applied.templates.short, sent: 2 },
        { templateId: acme.applied.templates.long, sent: 0 },
      ],
    })
    const { total } = dataOf<Page<object>>(await acme.request('GET', '/public/messages?limit=3'), 200)
    // The test copy is one of them.
    expect(total).toBe(3)
  })

  it('is reported to the endpoints of the workspace, once for each recipient', async () => {
    const reported = await receiver.wait('/sent', 2)
    expect(reported.map(({ event, data }) => [event, data.contactId, data.campaignId, data.channel]).toSorted()).toEqual(
      [ann, bob].map((contactId) => ['campaign.sent', contactId, id, 'email']).toSorted(),
    )
    expect(new Set(reported.map(({ data }) => data.messageId)).size).toBe(2)
  })

  it('counts an open, a click and a way out of a person once', async () => {
    const mail = await mailTo('ann@people.example')
    const open = async () => {
      await fetch(linkIn(mail, 'o.gif'))
      await fetch(linkIn(mail, 'c'), { redirect: 'manual' })
      const { rows } = await installation.pool.query<{ outcome: string }>(
        `select outcome from read.campaign_results where campaign_id = $1 and outcome in ('opened', 'clicked')`,
        [id],
      )
      return rows.length
    }
    // What comes within 2 s of the sending is a machine's (M6).
    await eventually(open, (kinds) => kinds === 2)
    await open()
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    for (let n = 0; n < 2; n++) expect((await shownFetch(installation.shown, linkIn(mail, 'u'), { method: 'POST', body })).status).toBe(200)
    expect(await campaign('show')).toMatchObject({ ...none, sent: 2, opened: 1, clicked: 1, unsubscribed: 1 })
  })

  it('counts a delivery and a complaint', async () => {
    const [delivered, complained] = [await mailTo('ann@people.example'), await mailTo('bob@people.example')]
    await outbox.report(delivered.id, { status: 'delivered' })
    await outbox.report(complained.id, { status: 'complained' })
    await acme.messageWith(complained.messageId, 'complained')
    await installation.shown()
    expect(await campaign('show')).toMatchObject({ sent: 2, delivered: 1, complained: 1, opened: 1, clicked: 1, unsubscribed: 1 })
  })
})
