import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { outboxOf } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

const TEMPLATES = `
templates:
  - name: welcome
    channel: email
    subject: "Hi {{firstName|there}}, {{ code | no code }}"
    html: "<p>{{firstName|<i>friend</i>}} {{lastName}} {{email}} {{phone}} {{custom.plan|none}} {{code}} {{list}}</p>"
    text: "{{firstName}} & {{code}}"
    fromName: "Team {{custom.plan}}"
  - { name: bare, channel: email, subject: "{{title}}", html: "<p>x</p>" }
  - { name: empty, channel: email, subject: "x", html: "{{nothing}}" }
  - { name: growing, channel: email, subject: "x", html: "{{big}}{{big}}" }
  - { name: gone, channel: email, subject: "x", html: "<p>x</p>", archived: true }
  - { name: text, channel: sms, body: "Order {{orderId}} is ready, {{firstName|you}}" }
  - { name: note, channel: push, push: { title: "{{t}}", body: "{{b}}", url: "https://a.example/{{u}}" } }
`

let world: World
let acme: Client
let profiles: ReturnType<typeof profilesOf>
let outbox: ReturnType<typeof outboxOf>

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme', TEMPLATES)
  profiles = profilesOf(acme)
  outbox = outboxOf(world)
})
afterAll(() => world.stop())

const idOf = (name: string): string => acme.applied.templates[name] ?? ''

const answered = async (name: string, more: Readonly<Record<string, unknown>> = {}) => {
  const body = { to: 'ada@example.com', fromEmail: acme.fromEmail, templateId: idOf(name) || name, ...more }
  return outcome(await acme.request('POST', '/public/messages/email', body))
}

/** Mail of a template ends with it (M5). */
const withoutPixel = (html: string): string => html.replace(/<img src="[^"]+[/]o[.]gif[?]t=[^>]+>$/, '')

const sent = async (name: string, more: Readonly<Record<string, unknown>> = {}) => {
  const { body } = await acme.request('POST', '/public/messages/email', {
    to: 'ada@example.com',
    fromEmail: acme.fromEmail,
    templateId: idOf(name),
    ...more,
  })
  const { messageId } = body.data as { messageId: string }
  await acme.messageWith(messageId, 'sent')
  const email = await outbox.of(messageId)
  return { ...email, html: withoutPixel(email.html) }
}

describe('a template', () => {
  it('is filled from the contact, its custom properties and the fields, later winning', async () => {
    await profiles.upsert({
      email: 'ada@example.com',
      phone: '+972501000001',
      firstName: 'Ada',
      lastName: 'L',
      customProperties: { plan: 'pro' },
    })
    const email = await sent('welcome', { templateFields: { code: 7, lastName: 'Lovelace', list: ['dropped'], 'custom.plan': 'gold' } })
    expect(email).toMatchObject({
      subject: 'Hi Ada, 7',
      html: '<p>Ada Lovelace ada@example.com +972501000001 gold 7 </p>',
      text: 'Ada & 7',
      from: `Team gold <${acme.fromEmail}>`,
    })
  })

  it('uses the fallback where a value is missing or empty, and passes over a null field', async () => {
    const fields = { firstName: '', lastName: null, code: false, list: { a: 1 } }
    expect(await sent('welcome', { templateFields: fields })).toMatchObject({
      subject: 'Hi there, false',
      html: '<p><i>friend</i> L ada@example.com +972501000001 pro false </p>',
    })
    expect(await sent('welcome', { to: 'new@example.com' })).toMatchObject({
      subject: 'Hi there, no code',
      html: '<p><i>friend</i>  new@example.com  none  </p>',
      from: `Team <${acme.fromEmail}>`,
    })
  })

  it('escapes values in html only, and keeps them on one line in headers', async () => {
    const { subject, html, text } = await sent('welcome', { templateFields: { code: `<b>"1'&\r\nBcc: x`, firstName: 'A' } })
    expect(html).toContain('&lt;b&gt;&quot;1&#39;&amp;\r\nBcc: x')
    expect(subject).toBe(`Hi A, <b>"1'& Bcc: x`)
    expect(text).toContain(`<b>"1'&`)
  })

  it('knows no value that an object merely inherits', async () => {
    expect(await sent('bare', { templateFields: { title: 'a', constructor: 'b' } })).toMatchObject({ subject: 'a' })
    expect(await answered('bare', { templateFields: {} })).toEqual(coded(400, 'content_empty'))
  })

  it('wins over content that is sent with it, and keeps the name that the request gives', async () => {
    const ignored = { subject: 'ignored', html: 'ignored', text: 'ignored', contentMode: 'template', fromName: 'Me' }
    expect(await sent('bare', { ...ignored, templateFields: { title: 'T' } })).toMatchObject({
      subject: 'T',
      html: '<p>x</p>',
      text: 'x',
      from: `Me <${acme.fromEmail}>`,
    })
  })

  it('without a sender name of its own uses that of the address', async () => {
    expect(await sent('bare', { templateFields: { title: 'T' } })).toMatchObject({ from: `Hello <${acme.fromEmail}>` })
  })

  it('must be an email template of the library that still makes a mail', async () => {
    expect(await answered(UNKNOWN)).toEqual(coded(404, 'template_not_found'))
    expect(await answered('gone')).toEqual(coded(404, 'template_not_found'))
    expect(await answered('text')).toEqual(coded(400, 'template_channel_mismatch'))
    expect(await answered('empty')).toEqual(coded(400, 'content_empty'))
    expect(await answered('growing', { templateFields: { big: 'x'.repeat(300_000) } })).toMatchObject({ code: 'template_render_failed' })
    expect(await answered('7')).toEqual(uncoded(400, 'templateId must be a UUID'))
    expect(await answered('bare', { templateFields: ['a'] })).toEqual(uncoded(400, 'templateFields must be an object'))
  })

  it('changes for what is sent afterwards, not for what was accepted', async () => {
    const before = await acme.send('ada@example.com', { templateId: idOf('bare'), templateFields: { title: 'T' }, html: undefined })
    await world.apply(`workspace: { slug: acme, name: acme }
templates: [{ name: bare, channel: email, subject: "changed {{title}}", html: "<p>x</p>" }]`)
    expect((await sent('bare', { templateFields: { title: 'T' } })).subject).toBe('changed T')
    expect((await outbox.of(before)).subject).toBe('T')
  })
})

describe('the template list', () => {
  const list = async (query = '') => (await acme.request('GET', `/public/templates${query}`)).body.data as { items: { label: string }[] }

  it('shows the library without what is archived, with the merge fields of each', async () => {
    const page = await list()
    expect(page).toMatchObject({ limit: 50, offset: 0, total: 6, has_more: false, next_cursor: null })
    expect(page.items.find(({ label }) => label === 'welcome')).toEqual({
      value: idOf('welcome'),
      label: 'welcome',
      channel: 'email',
      mergeFields: ['code', 'custom.plan', 'email', 'firstName', 'lastName', 'list', 'phone'],
    })
    expect(page.items.map(({ label }) => label)).not.toContain('gone')
    expect(page.items[0]?.label).toBe('bare')
  })

  it('filters by channel, and pages', async () => {
    expect((await list('?channel=sms')).items.map(({ label }) => label)).toEqual(['text'])
    expect((await list('?channel=push')).items.map(({ label }) => label)).toEqual(['note'])
    expect(await list('?channel=email&limit=3')).toMatchObject({ limit: 3, total: 4, has_more: true, next_cursor: '3' })
    expect(await list('?channel=email&limit=3&offset=3')).toMatchObject({ offset: 3, total: 4, has_more: false, next_cursor: null })
  })

  it.each([
    ['?channel=voice', 'channel must be one of the following values: email, sms, push'],
    ['?page=1', 'property page should not exist'],
    ['?limit=101', 'limit must not be greater than 100'],
    ['?limit=0', 'limit must not be less than 1'],
    ['?search=a', 'property search should not exist'],
  ])('%s is 400', async (query, message) => {
    expect(outcome(await acme.request('GET', `/public/templates${query}`))).toEqual(uncoded(400, message))
  })

  it('tells the merge fields of one, of every channel', async () => {
    const fields = async (id: string) => acme.request('GET', `/public/templates/${id}/merge-fields`)
    expect((await fields(idOf('text'))).body.data).toEqual({ items: ['firstName', 'orderId'] })
    expect((await fields(idOf('note'))).body.data).toEqual({ items: ['b', 't', 'u'] })
    expect(outcome(await fields(UNKNOWN))).toEqual(coded(404, 'template_not_found'))
    expect(outcome(await fields(idOf('gone')))).toEqual(coded(404, 'template_not_found'))
    expect(outcome(await fields('7'))).toEqual(uncoded(400, 'Validation failed (uuid is expected)'))
  })
})
