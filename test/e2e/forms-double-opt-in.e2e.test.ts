import type { Profile } from '@tidings/contracts'
import { asContactId, type ContactEvent, contactStream } from '@tidings/domain'
import { untilVisible } from '@tidings/service/read-side'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, shownFetch } from './support/client.ts'
import { formOf, SHOP } from './support/forms.ts'
import { outboxOf, type SentEmail } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { eventsOfWorkspace } from './support/stored-log.ts'
import { startWorld, type World } from './support/world.ts'

const PUBLIC_URL = 'https://mail.acme.example'
const FILE = `
features: [embedded_forms]
formOrigins: ["${SHOP}"]
lists: [{ name: VIP, type: static }]
templates:
  - { name: confirm, channel: email, subject: Please confirm, html: "<p>Hi {{firstName|there}}</p><a href=\\"{{confirmUrl}}\\">Yes</a>", text: "{{confirmUrl}}" }
forms: [{ id: footer, list: VIP, doubleOptIn: true, template: confirm, from: hello@SLUG.example }, { id: plain, list: VIP }]`

let world: World
let acme: Client
let form: ReturnType<typeof formOf>
let outbox: ReturnType<typeof outboxOf>

const shop = (slug: string) => world.workspace(slug, FILE.replace('SLUG', slug))

beforeAll(async () => {
  world = await startWorld({ TIDINGS_RATE_LIMIT_FORMS: 'off', TIDINGS_PUBLIC_URL: PUBLIC_URL, TIDINGS_FORM_CONFIRMATIONS_PER_HOUR: '40' })
  acme = await shop('acme')
  form = formOf(acme)
  outbox = outboxOf(world)
})
afterAll(() => world.stop())

const profile = (id: unknown): Promise<Profile> => profilesOf(acme).get(String(id))
const isMember = async (id: unknown): Promise<boolean> => {
  const { body } = await acme.request('GET', `/public/profiles?segmentId=${acme.applied.lists.VIP}&limit=200`)
  return (body.data as { items: readonly Profile[] }).items.some((member) => member.id === id)
}
const consentsOf = async (contactId: unknown) => {
  const { id } = acme.applied.workspace
  const events = await world.stores.log.readStream<ContactEvent>(id, contactStream(id, asContactId(String(contactId))))
  return events.flatMap((event) => (event.type === 'ContactConsentRecorded' ? [{ ...event.data, actor: event.meta.actor }] : []))
}
const mailsTo = async (to: string, client = acme): Promise<readonly SentEmail[]> => {
  // An answer may be `pending` on a busy machine: the list of messages is asked for once it shows them all.
  expect(await untilVisible(world.stores.pool, await world.stores.log.head(), { timeoutMs: 180_000 })).toBe(true)
  const { body } = await client.request('GET', '/public/messages?limit=100')
  const { items } = body.data as { items: readonly { id: string }[] }
  await Promise.all(items.map(({ id }) => client.messageWith(id, 'sent', 'suppressed', 'failed')))
  return (await outbox.list('?channel=email')).filter((mail) => mail.to.includes(to))
}
const linkIn = ({ text }: SentEmail): string => new RegExp(`${PUBLIC_URL}(/forms/confirm[?]t=[\\w-]+)`).exec(text)?.[1] ?? 'none'
const visit = (path: string, init?: RequestInit) => shownFetch(world.settle, `${world.url}${path}`, { redirect: 'manual', ...init })
const press = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  visit(path, { method: 'POST', body: 'confirm=yes', headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } })

const signUp = async (email: string, more: Readonly<Record<string, unknown>> = {}) => {
  const { status, body } = await form.subscribe({ email, formId: 'footer', ...more })
  if (status !== 200) throw new Error(`answered ${status}: ${body.message}`)
  const [mail] = await mailsTo(email)
  return { contactId: String(body.data.contactId), data: body.data, link: mail ? linkIn(mail) : 'none', mail }
}

describe('a form that asks to confirm', () => {
  it('sends a mail, and changes nothing of the contact before its link is confirmed', async () => {
    const { id } = await profilesOf(acme).create({ email: 'ada@example.com', firstName: 'Ada' })
    const { data, mail, link } = await signUp('ada@example.com', {
      phone: '0501000001',
      fields: { firstName: 'SPAM http://x.example', size: 3 },
    })
    expect(data).toEqual({ ok: true, contactId: id, isNew: false, pending: true })
    expect(mail).toMatchObject({ subject: 'Please confirm', from: expect.stringContaining('hello@acme.example') })
    expect(mail?.html).toContain('Hi Ada')
    expect(mail?.html).toContain(`href="${PUBLIC_URL}/forms/confirm?t=`)
    expect(JSON.stringify(mail)).not.toContain('SPAM ')
    expect(mail?.headers).not.toHaveProperty('List-Unsubscribe')
    expect(await profile(id)).toMatchObject({ firstName: 'Ada', phone: null, customProperties: {}, emailConsent: 'never_subscribed' })
    expect(await isMember(id)).toBe(false)

    const page = await visit(link)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form method="post">')])
    await visit(link, { method: 'HEAD' })
    expect((await profile(id)).emailConsent).toBe('never_subscribed')

    const done = await press(link, { 'user-agent': 'Owner/1.0' })
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('You are subscribed')])
    expect(await profile(id)).toMatchObject({
      firstName: 'SPAM http://x.example',
      phone: '+972501000001',
      customProperties: { size: 3 },
      emailConsent: 'subscribed',
    })
    expect(await isMember(id)).toBe(true)
    expect(await consentsOf(id)).toMatchObject([
      {
        from: 'never_subscribed',
        to: 'subscribed',
        source: 'embedded_form',
        ip: '127.0.0.1',
        userAgent: 'Owner/1.0',
        actor: 'form:footer',
      },
    ])
  })

  it('creates a contact that has nothing but the address', async () => {
    const { contactId, data } = await signUp('fresh@example.com', { phone: '0501000002', fields: { firstName: 'Eve', k: 1 } })
    expect(data).toMatchObject({ isNew: true, pending: true })
    expect(await profile(contactId)).toMatchObject({ firstName: null, phone: null, customProperties: {}, emailConsent: 'never_subscribed' })
    expect(await consentsOf(contactId)).toEqual([])
  })

  it('is confirmed once, however often and however many at once, and never undoes a later unsubscription', async () => {
    const { contactId, link } = await signUp('often@example.com')
    const answers = await Promise.all(Array.from({ length: 10 }, () => press(link)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(await consentsOf(contactId)).toHaveLength(1)
    await profilesOf(acme).patch(contactId, { emailConsent: 'unsubscribed' })
    expect((await press(link)).status).toBe(200)
    expect((await profile(contactId)).emailConsent).toBe('unsubscribed')
  })

  it('keeps the consent of an owner whose phone belongs to another contact by now', async () => {
    const { contactId, link } = await signUp('late@example.com', { phone: '0501000003' })
    await profilesOf(acme).create({ phone: '+972501000003' })
    expect((await press(link)).status).toBe(200)
    expect(await profile(contactId)).toMatchObject({ phone: null, emailConsent: 'subscribed' })
  })

  it('confirms nothing for an address that its contact has no longer', async () => {
    const { contactId, link } = await signUp('before@example.com')
    await profilesOf(acme).patch(contactId, { email: 'after@example.com' })
    expect((await press(link)).status).toBe(404)
    expect((await profile(contactId)).emailConsent).toBe('never_subscribed')
  })

  it('speaks Hebrew, from right to left, to a browser that does', async () => {
    const { link } = await signUp('ivrit@example.com')
    const page = await (await visit(link, { headers: { 'accept-language': 'he-IL,he;q=0.9,en;q=0.8' } })).text()
    expect(page).toContain('<html lang="he" dir="rtl">')
  })
})

describe('a link', () => {
  it('of another kind, changed or made up, confirms nothing', async () => {
    const { link } = await signUp('links@example.com')
    const changed = link.slice(0, -5) + (link.at(-5) === 'A' ? 'B' : 'A') + link.slice(-4)
    for (const path of [
      '/forms/confirm',
      '/forms/confirm?t=',
      '/forms/confirm?t=1&t=2',
      changed,
      `/forms/confirm?t=${'A'.repeat(8_000)}`,
    ]) {
      expect([path, (await visit(path)).status]).toEqual([path, 404])
      expect([path, (await press(path)).status]).toEqual([path, 404])
    }
    // The token of a confirmation opens no other page.
    expect((await visit(link.replace('/forms/confirm', '/u'))).status).toBe(404)
  })

  it.each([
    ['nothing', ''],
    ['something else', 'confirm=no'],
  ])('must be confirmed by the button: %s is refused', async (_, body) => {
    const { contactId, link } = await signUp(`button${body.length}@example.com`)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await visit(link, { method: 'POST', body, headers })).status).toBe(400)
    expect((await profile(contactId)).emailConsent).toBe('never_subscribed')
  })

  it('is kept for later while the workspace is suspended, and leads nowhere once it is closed', async () => {
    const idle = await shop('idle')
    await formOf(idle).subscribe({ email: 'idle@example.com', formId: 'footer' })
    const [mail] = await mailsTo('idle@example.com', idle)
    const link = linkIn(mail!)
    const become = (status: 'active' | 'suspended' | 'closed') =>
      world.operate(idle.applied.workspace.id, { type: 'ChangeWorkspaceStatus', data: { status } })
    await become('suspended')
    expect((await press(link)).status).toBe(503)
    await become('active')
    expect((await press(link)).status).toBe(200)
    await become('closed')
    expect((await press(link)).status).toBe(404)
  })
})

describe('mail to a stranger', () => {
  it('is three in a day, of a workspace, from however many callers at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => form.subscribe({ email: 'victim@example.com', formId: 'footer' })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => JSON.stringify(Object.keys(body.data)))).size).toBe(1)
    expect(await mailsTo('victim@example.com')).toHaveLength(3)
  })

  it('is sent once for one Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'confirm-1' }
    for (let n = 0; n < 3; n++) await form.subscribe({ email: 'key@example.com', formId: 'footer' }, headers)
    expect(await mailsTo('key@example.com')).toHaveLength(1)
  })

  it('is not sent for a filled honeypot, which is answered alike', async () => {
    const real = await form.subscribe({ email: 'person@example.com', formId: 'footer' })
    const { status, body } = await form.subscribe({ email: 'bot@example.com', formId: 'footer', fields: { _website: 'x' } })
    expect([status, Object.keys(body.data)]).toEqual([200, Object.keys(real.body.data)])
    expect(await mailsTo('bot@example.com')).toEqual([])
  })

  it('stops at the share of the workspace, which leaves the others theirs', async () => {
    const flooded = await shop('flooded')
    const answers = await Promise.all(
      Array.from({ length: 45 }, (_, n) => formOf(flooded).subscribe({ email: `n${n}@example.com`, formId: 'footer' })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect([answers.filter(({ status }) => status === 200).length, refused.length]).toEqual([40, 5])
    const [answer] = refused
    expect(answer?.headers.get('access-control-allow-origin')).toBe(SHOP)
    expect(Number(answer?.headers.get('retry-after'))).toBeGreaterThan(3_000)
    // A form that takes effect at once sends nothing, and goes on.
    expect((await formOf(flooded).subscribe({ email: 'n44@example.com', formId: 'plain' })).status).toBe(200)
    const calm = await shop('calm')
    expect((await formOf(calm).subscribe({ email: 'n0@example.com', formId: 'footer' })).status).toBe(200)
  })
})

it('a mail that cannot be sent is refused before anything is written', async () => {
  const broken = await shop('broken')
  await world.apply(`workspace: { slug: broken, name: broken }\nsenderDomains: [{ domain: broken.example, verified: false }]`)
  const before = await eventsOfWorkspace(world.stores.store, broken.applied.workspace.id)
  const { status, body } = await formOf(broken).subscribe({ email: 'a@example.com', formId: 'footer' })
  expect([status, body.code]).toEqual([400, 'from_domain_not_verified'])
  expect(await eventsOfWorkspace(world.stores.store, broken.applied.workspace.id)).toEqual(before)
})

describe('a workspace with a form that asks to confirm', () => {
  it.each([
    ['no formId', {}],
    ['an empty one', { formId: '' }],
    ['a misspelled one', { formId: 'foter' }],
    ['another case', { formId: 'Footer' }],
    ['a blank behind it', { formId: 'footer ' }],
    ['the name of a member of every object', { formId: '__proto__' }],
  ])('asks for it with %s too, and no consent stands in the log before', async (what, more) => {
    const email = `stranger-${what.replaceAll(' ', '-').toLowerCase()}@example.com`
    const { status, body } = await form.subscribe({ email, ...more })
    expect([status, body.data]).toEqual([200, { ok: true, contactId: expect.any(String), isNew: true, pending: true }])
    expect((await profile(body.data.contactId)).emailConsent).toBe('never_subscribed')
    expect(await consentsOf(body.data.contactId)).toEqual([])
    const [mail] = await mailsTo(email)
    expect((await press(linkIn(mail!))).status).toBe(200)
    expect((await profile(body.data.contactId)).emailConsent).toBe('subscribed')
    expect(await isMember(body.data.contactId)).toBe(false)
  })

  it('that requires it asks in each of its forms, and one without any form that could ask is refused', async () => {
    const strict = await world.workspace('strict', `doubleOptIn: required\n${FILE.replace('SLUG', 'strict')}`)
    const { body } = await formOf(strict).subscribe({ email: 'plain@example.com', formId: 'plain' })
    expect(body.data).toMatchObject({ pending: true })
    await expect(world.apply(`workspace: { slug: strict, name: strict }\ndoubleOptIn: required`)).rejects.toThrow(/doubleOptIn/)
  })
})

describe('flows of a contact that a form created', () => {
  it('begin when he has confirmed, once, and none begin before', async () => {
    const flowing = await world.workspace(
      'flowing',
      `${FILE.replace('SLUG', 'flowing')}
flows:
  - { name: hello, trigger: { type: contact_created }, steps: [{ wait: { minutes: 60 } }] }
  - { name: vips, trigger: { type: list_joined, list: VIP }, steps: [{ wait: { minutes: 60 } }] }`,
    )
    const { id } = flowing.applied.workspace
    const entered = async (contactId: string) =>
      (await world.stores.log.readAll('start', 100_000, { types: ['ContactEnteredFlow'] })).events.filter(
        ({ meta, data }) => meta.workspaceId === id && (data as { contactId: string }).contactId === contactId,
      ).length
    const waiting = await formOf(flowing).subscribe({ email: 'waits@example.com', formId: 'footer' })
    const asked = await formOf(flowing).subscribe({ email: 'flows@example.com', formId: 'footer' })
    await formOf(flowing).subscribe({ email: 'flows@example.com', formId: 'footer' })
    const { contactId } = asked.body.data as { contactId: string }
    const links = (await mailsTo('flows@example.com', flowing)).map(linkIn)
    expect(links).toHaveLength(2)
    for (const link of links) expect((await press(link)).status).toBe(200)
    await expect.poll(() => entered(contactId)).toBe(2)
    // The consumer of flows has gone by all of it by the time it enters this one.
    const last = await profilesOf(flowing).create({ email: 'last@example.com' })
    await expect.poll(() => entered(last.id)).toBe(1)
    expect(await entered(contactId)).toBe(2)
    expect(await entered(String(waiting.body.data.contactId))).toBe(0)
  })
})
