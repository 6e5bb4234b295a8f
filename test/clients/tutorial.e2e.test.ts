import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../docs/markdown.ts'
import { type StartedService, startTidings } from '../docs/service.ts'
import type { ClientCall, Driver } from './driver.ts'
import { drivers } from './drivers.ts'

/** The shop of the tutorials, with what each of them adds to it. */
const SHOP = `
workspace: { slug: shop, name: Shop }
apiKeys: [ { name: server } ]
country: IL
credits: 100
smsSenderIds: [ { id: MyShop, status: approved } ]
senderDomains: [ { domain: shop.example, verified: true } ]
senderAddresses: [ { email: orders@shop.example, name: Shop, verified: true } ]
lists: [ { name: Newsletter, type: static } ]
templates:
  - name: receipt
    channel: email
    subject: "Order {{order}} for {{firstName|you}}"
    html: "<p>Thank you, {{firstName|friend}}.</p>"
`

type Applied = Readonly<{
  apiKeys: readonly Readonly<{ key: string }>[]
  templates: Readonly<{ receipt: string }>
  lists: Readonly<{ Newsletter: string }>
}>

let service: StartedService
let applied: Applied
beforeAll(async () => {
  service = await startTidings({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '200' })
  const file = join(service.env.TIDINGS_DATA_DIR ?? '', '../shop.yaml')
  await writeFile(file, SHOP)
  const { stdout } = await promisify(execFile)(process.execPath, [`${ROOT}packages/cli/bin/tidings.mjs`, 'apply', '-f', file, '--json'], {
    env: service.env,
  })
  applied = JSON.parse(stdout) as Applied
})
afterAll(async () => {
  await Promise.all(drivers.map(({ stop }) => stop()))
  await service?.stop()
})

type OutboxItem = Readonly<{ id: string; subject?: string; body?: string; messageId: string }>
const outbox = async (to: string): Promise<readonly OutboxItem[]> => {
  const { items } = (await (await fetch(`${service.url}/dev/outbox?to=${encodeURIComponent(to)}`)).json()) as {
    items: readonly OutboxItem[]
  }
  return items
}

/** What the driver's client answers as the shop. Fails on a refusal. */
const asShop =
  (driver: Driver) =>
  async (call: string, made: Omit<ClientCall, 'call'> = {}) => {
    const { value, error } = await driver.call(
      { url: service.url, workspace: 'shop', key: applied.apiKeys[0]?.key ?? '' },
      { call, ...made },
    )
    expect(error).toBeUndefined()
    return value as Readonly<Record<string, string>>
  }

describe.each(drivers)('the tutorials with the $name client', (driver) => {
  const shop = asShop(driver)
  const grace = `grace.${driver.name.replaceAll(/\W/g, '').toLowerCase()}@example.com`
  const untilTrue = (check: () => Promise<boolean>) => until(async () => expect(await check()).toBe(true))
  const messageWith = (id: string, field: string, value: string) =>
    untilTrue(async () => (await shop('messages.get', { ids: [id] }))[field] === value)

  it('a first email, a template, a bounce, and the send that is suppressed', async () => {
    expect(await driver.call({ url: service.url, key: service.key }, { call: 'me' })).toMatchObject({ value: { tenant: { slug: 'demo' } } })
    const { receipt } = applied.templates
    expect(await shop('templates.mergeFields', { ids: [receipt] })).toEqual({ items: ['firstName', 'order'] })
    const { id: contactId = '' } = await shop('profiles.create', { body: { email: grace, firstName: 'Grace' } })
    const body = { contactId, fromEmail: 'orders@shop.example', templateId: receipt, templateFields: { order: 'A-17' } }
    const options = { idempotencyKey: `receipt of ${driver.name}` }
    const { messageId = '' } = await shop('messages.sendEmail', { body, options })
    expect(await shop('messages.sendEmail', { body, options })).toEqual({ messageId })
    await messageWith(messageId, 'status', 'sent')
    const [mail] = await outbox(grace)
    expect(mail?.subject).toBe('Order A-17 for Grace')

    await fetch(`${service.url}/dev/outbox/${mail?.id}/report`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ status: 'bounced', reason: '550 5.1.1 no such mailbox' }),
    })
    await messageWith(messageId, 'failureReason', 'hard_bounce')
    await untilTrue(async () => (await shop('profiles.lookup', { query: { email: grace } })).emailConsent === 'cleaned')
    const again = await shop('messages.sendEmail', {
      body: { contactId, fromEmail: 'orders@shop.example', subject: 'Are you there?', html: '<p>Hello?</p>' },
    })
    await messageWith(again.messageId ?? '', 'status', 'suppressed')
    expect(await outbox(grace)).toHaveLength(1)
  })

  it('a webhook: created, received, verified, deleted', async () => {
    type Received = Readonly<{ body: string; signature: string | null }>
    const received: Received[] = []
    const receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      received.push({ body: Buffer.concat(chunks).toString(), signature: String(request.headers['x-sender-signature']) })
      response.writeHead(204).end()
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const { port } = receiver.address() as AddressInfo
    const { id = '', signingSecret: secret = '' } = await shop('webhooks.create', {
      body: { url: `http://127.0.0.1:${port}/hook`, events: ['list.subscribed'], label: driver.name },
    })
    const emails = [`list.${grace}`]
    expect(await shop('lists.addMembers', { ids: [applied.lists.Newsletter], body: { emails } })).toMatchObject({ added: 1 })
    await untilTrue(async () => received.length > 0)
    const event = await driver.verify({ secret, ...received[0]! })
    expect(event).toMatchObject({ builtIn: true, event: { event: 'list.subscribed', data: { listName: 'Newsletter' } } })
    expect(await driver.verify({ secret, body: `${received[0]?.body} `, signature: received[0]?.signature ?? null })).toEqual({
      refused: 'signature',
    })
    expect(await shop('lists.removeMembers', { ids: [applied.lists.Newsletter], body: { emails } })).toMatchObject({ removed: 1 })
    expect(await shop('webhooks.delete', { ids: [id] })).toBeNull()
    receiver.close()
  })

  it('a login by a passcode', async () => {
    const phone = `+97250123${4560 + drivers.indexOf(driver)}`
    const { verificationId = '' } = await shop('otp.send', { body: { phone, message: 'Your code for the shop: {{code}}' } })
    await untilTrue(async () => (await outbox(phone)).length > 0)
    const code = /\d{6}/.exec((await outbox(phone))[0]?.body ?? '')?.[0] ?? ''
    const wrong = code === '000000' ? '000001' : '000000'
    expect(await shop('otp.verify', { body: { verificationId, code: wrong } })).toEqual({ verified: false, reason: 'code_mismatch' })
    expect(await shop('otp.verify', { body: { verificationId, code } })).toEqual({ verified: true })
  })

  it('reads every kind of list', async () => {
    const lists = [
      'campaigns',
      'customFields',
      'events',
      'lists',
      'messages',
      'profiles',
      'senderAddresses',
      'smsSenderIds',
      'tags',
      'templates',
    ]
    for (const name of lists) expect(await shop(`${name}.list`, { query: { limit: 1 } }), name).toMatchObject({ limit: 1, offset: 0 })
    const names = await shop('events.each', { query: { limit: 7 } })
    expect(new Set(Object.values(names).map((item) => Reflect.get(Object(item), 'value'))).size).toBeGreaterThanOrEqual(29)
  })

  it('says why it was refused', async () => {
    const body = { to: 'ada@example.com', fromEmail: 'hello@elsewhere.example', subject: 'Hello', html: '<p>It works.</p>' }
    const { error } = await driver.call({ url: service.url, key: service.key }, { call: 'messages.sendEmail', body })
    expect(error).toMatchObject({
      status: 400,
      code: 'from_domain_not_verified',
      requestId: expect.stringMatching(/^[\w-]{1,64}$/),
      attempts: 1,
    })
  })
})
