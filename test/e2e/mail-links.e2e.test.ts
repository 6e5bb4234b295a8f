import type { Recorded } from '@tidings/codec'
import { type EmailClicked, type EmailOpened, type MessageEvent, type MessageId, messageStream } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { outboxOf, type SentEmail } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

const PUBLIC_URL = 'https://mail.acme.example'
const HTML = `<html><body><p>Hi {{firstName|there}}</p>
<a href="https://shop.example/a?x=1&amp;y={{email}}">Shop</a> <a href="mailto:help@shop.example">Help</a>
<a href="{{unsubscribeUrl}}">Unsubscribe</a></body></html>`
const OFFER = `templates: [{ name: offer, channel: email, subject: Hi, html: ${JSON.stringify(HTML)} }]`

let world: World
let receiver: Receiver
let acme: Client
let tracking: Client
let outbox: ReturnType<typeof outboxOf>

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_PUBLIC_URL: PUBLIC_URL })
  acme = await world.workspace('acme', OFFER)
  tracking = await world.workspace('tracking', 'tracking: true')
  outbox = outboxOf(world)
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

type Mail = SentEmail & Readonly<{ pixel: string; click: string; unsubscribe: string }>

/** What stands behind `path?t=` in the html, for this service. */
const linkIn = (html: string, path: string): string => new RegExp(`"${PUBLIC_URL}(/${path}[?]t=[A-Za-z0-9_-]+)"`).exec(html)?.[1] ?? 'none'

const delivered = async (to: string, body: object, client = acme): Promise<Mail> => {
  const id = await client.send(to, { ...body })
  await client.messageWith(id, 'sent')
  const mail = await outbox.of(id)
  const { html } = mail
  return { ...mail, pixel: linkIn(html, 'o.gif'), click: linkIn(html, 'c'), unsubscribe: linkIn(html, 'u') }
}
const offer = (to: string, client = acme) =>
  delivered(to, { templateId: client.applied.templates.offer, subject: undefined, html: undefined }, client)

const visit = (path: string, init: RequestInit = {}) => fetch(`${world.url}${path}`, { redirect: 'manual', ...init })
const SCANNER = { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } }

type Engagement = Recorded<EmailOpened> | Recorded<EmailClicked>
const isEngagement = (event: Recorded<MessageEvent>): event is Engagement => event.type === 'EmailOpened' || event.type === 'EmailClicked'
const engagements = async (messageId: MessageId): Promise<readonly Engagement[]> => {
  const events = await world.stores.log.readStream<MessageEvent>(
    acme.applied.workspace.id,
    messageStream(acme.applied.workspace.id, messageId),
  )
  return events.filter(isEngagement)
}
/** Visits until it counts as the recipient's: the first moments are a machine's. */
const visitUntilHeard = (mail: Mail, path: string) =>
  eventually(
    async () => {
      await visit(path)
      return await engagements(mail.messageId)
    },
    (events) => events.some(({ data }) => !data.machine),
  )
const endpoint = async (events: readonly string[]): Promise<string> => {
  const path = `/hook-${events.join('-')}`
  dataOf(await acme.request('POST', '/public/webhooks', { url: `${receiver.url}${path}`, events }), 201)
  return path
}

describe('the links of a mail', () => {
  it('of a template lead by way of the service, and its body ends with the pixel', async () => {
    const { html, click } = await offer('ada@example.com')
    expect(html).toMatch(/<img src="https:\/\/mail\.acme\.example\/o\.gif\?t=[\w-]+" [^>]*><\/body><\/html>$/)
    expect(html).not.toContain('shop.example/a')
    expect(html).toContain('href="mailto:help@shop.example"')
    const answer = await visit(click)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://shop.example/a?x=1&y=ada@example.com'])
  })

  it('are in the plain text as they were', async () => {
    const { text, headers } = await offer('ada@example.com')
    expect(text).toContain('https://shop.example/a?x=1&y=ada@example.com')
    expect(text).not.toContain('/c?t=')
    expect(headers).not.toHaveProperty('List-Unsubscribe')
  })

  it('of manual html stay, unless the workspace turned tracking on', async () => {
    const html = '<p><a href="https://shop.example/">Shop</a></p>'
    expect((await delivered('ada@example.com', { html })).html).toBe(html)
    const tracked = await delivered('ada@example.com', { html }, tracking)
    expect([tracked.click, tracked.pixel]).not.toContain('none')
  })
})

describe('an open', () => {
  it('is delivered once, when the recipient sees the mail, and says that the address is read', async () => {
    const path = await endpoint(['email.opened'])
    const mail = await offer('reader@example.com')
    await visit(mail.pixel, SCANNER)
    const events = await visitUntilHeard(mail, mail.pixel)
    await visit(mail.pixel)
    expect(events.map(({ data }) => data.machine)).toEqual([true, false])
    expect(await engagements(mail.messageId)).toEqual(events)
    const [received] = await receiver.wait(path, 1)
    const { contactId } = events[0]?.data ?? {}
    expect(received?.data).toEqual({ contactId, occurredAt: expect.any(String), channel: 'email', messageId: mail.messageId })
    await profilesOf(acme).getWhen(String(contactId), ({ emailValidationState }) => emailValidationState === 'valid')
    expect(receiver.at(path)).toHaveLength(1)
  })

  it('is answered with the same image whatever the token', async () => {
    const { pixel } = await offer('ada@example.com')
    const images = await Promise.all(
      [pixel, '/o.gif', '/o.gif?t=x', '/o.gif?t=1&t=2', '/o.gif?t=%00', `${pixel}x`].map(async (path) => {
        const { status, headers, ...answer } = await visit(path).then(async (response) => ({
          status: response.status,
          headers: response.headers,
          bytes: Buffer.from(await response.arrayBuffer()).toString('hex'),
        }))
        return [status, headers.get('content-type'), headers.get('cache-control'), answer.bytes]
      }),
    )
    expect(images[0]?.slice(0, 3)).toEqual([200, 'image/gif', 'no-store'])
    expect(images[0]?.[3]).toMatch(/^474946383961.{74}$/)
    expect(new Set(images.map(String)).size).toBe(1)
  })
})

describe('a click', () => {
  it('is delivered with where it led, each time, and not when a machine made it', async () => {
    const path = await endpoint(['email.clicked'])
    const mail = await offer('clicker@example.com')
    await visit(mail.click, { method: 'HEAD' })
    expect(await engagements(mail.messageId)).toEqual([])
    await visitUntilHeard(mail, mail.click)
    await visit(mail.click, SCANNER)
    await visit(mail.click)
    const people = (await engagements(mail.messageId)).filter(({ data }) => !data.machine)
    expect(people).toHaveLength(2)
    const received = await receiver.wait(path, 2)
    expect(received.map(({ data }) => data)).toEqual(
      people.map(({ data: { contactId } }) => ({
        contactId,
        occurredAt: expect.any(String),
        channel: 'email',
        messageId: mail.messageId,
        url: 'https://shop.example/a?x=1&y=clicker@example.com',
      })),
    )
  })

  it('on a link that is not ours, or was for something else, leads nowhere', async () => {
    const { click, pixel, unsubscribe } = await offer('ada@example.com')
    const changed = click.slice(0, -5) + (click.at(-5) === 'A' ? 'B' : 'A') + click.slice(-4)
    const others = [pixel, unsubscribe].map((path) => `/c?t=${path.split('t=')[1]}`)
    for (const path of ['/c', '/c?t=', '/c?t=https://evil.example', changed, `/c?t=${'A'.repeat(8_000)}`, ...others]) {
      const answer = await visit(path)
      expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 404, null])
      expect(answer.headers.get('content-type')).toContain('text/plain')
    }
  })
})

describe('who unsubscribes', () => {
  const form = (body: string, type = 'application/x-www-form-urlencoded'): RequestInit => ({
    method: 'POST',
    body,
    headers: { 'content-type': type },
  })
  const ONE_CLICK = 'List-Unsubscribe=One-Click'
  const subscriber = async (email: string) => {
    const { id } = await profilesOf(acme).create({ email, emailConsent: 'subscribed' })
    const { unsubscribe } = await offer(email)
    return { id, unsubscribe, consent: async () => (await profilesOf(acme).get(id)).emailConsent }
  }
  const history = async (id: string): Promise<readonly string[]> =>
    (await world.stores.log.readStream(acme.applied.workspace.id, `contact-${acme.applied.workspace.id}-${id}`)).flatMap(
      ({ type, data }) => (type === 'ContactConsentRecorded' ? [(data as { source: string }).source] : []),
    )

  it('is asked first: looking at the page changes nothing', async () => {
    const { unsubscribe, consent } = await subscriber('looking@example.com')
    const page = await visit(unsubscribe)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('<form method="post">')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    await visit(unsubscribe, { method: 'HEAD' })
    expect(await consent()).toBe('subscribed')
  })

  it('is asked in his own language, else in that of his browser', async () => {
    const pageOf = async (path: string, language: string, init: RequestInit = {}) =>
      await (await visit(path, { ...init, headers: { ...init.headers, 'accept-language': language } })).text()
    await profilesOf(acme).create({ email: 'dana@example.com', locale: 'he-IL', emailConsent: 'subscribed' })
    const { unsubscribe } = await offer('dana@example.com')
    expect(await pageOf(unsubscribe, 'en')).toContain('<html lang="he" dir="rtl">')
    expect(await pageOf(unsubscribe, 'en', form('confirm=yes'))).toContain('<html lang="he" dir="rtl">')
    const { unsubscribe: other } = await subscriber('no-locale@example.com')
    expect(await pageOf(other, 'fr, he;q=0.8, en;q=0.5')).toContain('<html lang="he" dir="rtl">')
    expect(await pageOf(other, 'fr')).toContain('<html lang="en" dir="ltr">')
    expect(await pageOf(`${other}x`, 'he')).toContain('<html lang="he" dir="rtl">')
  })

  it('reaches the page also by a link with the punctuation of a text behind it', async () => {
    const { unsubscribe } = await subscriber('dotted@example.com')
    for (const end of ['.', ')', '%3E', ',', ';']) expect((await visit(`${unsubscribe}${end}`)).status).toBe(200)
  })

  it('by one click of the mail program, in either form, is unsubscribed at once', async () => {
    const path = await endpoint(['contact.unsubscribed'])
    const { id, unsubscribe, consent } = await subscriber('one-click@example.com')
    expect((await visit(unsubscribe, form(ONE_CLICK))).status).toBe(200)
    await expect.poll(consent).toBe('unsubscribed')
    expect((await receiver.wait(path, 1))[0]?.data).toMatchObject({ id, channel: 'email', emailConsent: 'unsubscribed' })
    await profilesOf(acme).patch(id, { emailConsent: 'subscribed' })
    const multipart = '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'
    expect((await visit(unsubscribe, form(multipart, 'multipart/form-data; boundary=b'))).status).toBe(200)
    await expect.poll(consent).toBe('unsubscribed')
    expect(await history(id)).toEqual(['api', 'one_click', 'api', 'one_click'])
  })

  it('by the button of the page is unsubscribed by the link, and heard once more at most', async () => {
    const { id, unsubscribe, consent } = await subscriber('button@example.com')
    for (let n = 0; n < 5; n++) {
      const page = await visit(unsubscribe, form('confirm=yes'))
      expect([page.status, (await page.text()).includes('You are unsubscribed')]).toEqual([200, true])
    }
    await expect.poll(consent).toBe('unsubscribed')
    expect(await history(id)).toEqual(['api', 'unsubscribe_link', 'unsubscribe_link'])
  })

  it.each([
    ['nothing', form(''), 400],
    ['something else', form('List-Unsubscribe=No'), 400],
    ['JSON', form('{"List-Unsubscribe":"One-Click"}', 'application/json'), 400],
    ['too much', form(`${ONE_CLICK}&x=${'x'.repeat(5_000)}`), 413],
  ])('must say so: %s is refused and changes nothing', async (what, body, status) => {
    const { unsubscribe, consent } = await subscriber(`${what.replace(' ', '-').toLowerCase()}@example.com`)
    expect((await visit(unsubscribe, body)).status).toBe(status)
    expect(await consent()).toBe('subscribed')
  })

  it('can do so while the workspace is suspended', async () => {
    const suspended = await world.workspace('suspended', OFFER)
    const { id } = await profilesOf(suspended).create({ email: 'left@example.com', emailConsent: 'subscribed' })
    const { click, unsubscribe } = await offer('left@example.com', suspended)
    const become = (status: 'active' | 'suspended') =>
      world.operate(suspended.applied.workspace.id, { type: 'ChangeWorkspaceStatus', data: { status } })
    await become('suspended')
    expect((await visit(click)).status).toBe(302)
    expect((await visit(unsubscribe, form(ONE_CLICK))).status).toBe(200)
    await become('active')
    await profilesOf(suspended).getWhen(id, ({ emailConsent }) => emailConsent === 'unsubscribed')
  })

  it('must have a link of ours', async () => {
    const { click } = await offer('ada@example.com')
    for (const path of ['/u', '/u?t=x', `/u?t=${click.split('t=')[1]}`]) {
      expect((await visit(path)).status).toBe(404)
      expect((await visit(path, form(ONE_CLICK))).status).toBe(404)
    }
  })
})
