import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf, outcome, uncoded } from './support/answers.ts'
import { type Client, clientOf, shownFetch } from './support/client.ts'
import { formOf, SHOP } from './support/forms.ts'
import { outboxOf, type SentEmail } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

const FILE = `
features: [embedded_forms]
formOrigins: ["${SHOP}"]
credits: 100
smsSenderIds: [{ id: SHOPTEL, status: approved }]
lists: [{ name: VIP, type: static }]
templates: [{ name: confirm, channel: email, subject: Please confirm, html: "<a href='{{confirmUrl}}'>Yes</a>", text: "{{confirmUrl}}" }]
forms:
  - { id: footer, list: VIP }
  - { id: careful, list: VIP, doubleOptIn: true, template: confirm, from: hello@acme.example }`
const THEIRS = '+972509999999'

let world: World
let acme: Client
/** The same workspace, by the key in the source of its page. */
let page: Client

beforeAll(async () => {
  world = await startWorld({ TIDINGS_RATE_LIMIT_FORMS: 'off' })
  acme = await world.workspace('acme', FILE)
  page = clientOf({
    url: world.url,
    applied: await world.apply('workspace: { slug: acme, name: acme }\napiKeys: [{ name: page, publishable: true }]'),
    shown: world.settle,
  })
})
afterAll(() => world?.stop())

const visitor = () => formOf(page)
const profile = (email: string) => profilesOf(acme).lookup(email)
const person = (email: string, more: object = {}) => profilesOf(acme).create({ email, ...more })
const browserOf = (n: number) => ({ endpoint: `https://8.8.8.8/push/${n}`, keys: { p256dh: 'key', auth: 'secret' } })

/** Presses the button behind the link of the newest mail to the address. */
const confirm = async (email: string): Promise<void> => {
  const mails = async (): Promise<readonly SentEmail[]> => outboxOf(world).list(`?channel=email&to=${email}`)
  await expect.poll(async () => (await mails()).length).toBe(1)
  const link = new URL(/https?:\S+\/forms\/confirm[?]t=[\w-]+/.exec((await mails())[0]?.text ?? '')?.[0] ?? 'none:')
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const init = { method: 'POST', body: 'confirm=yes', headers }
  const { status } = await shownFetch(world.settle, `${world.url}${link.pathname}${link.search}`, init)
  expect(status).toBe(200)
}

/** Signs up, and confirms where the form asks for it. */
const signUp = async (formId: string, body: Readonly<{ email: string; [field: string]: unknown }>): Promise<void> => {
  expect((await visitor().subscribe({ ...body, formId })).status).toBe(200)
  if (formId === 'careful') await confirm(body.email)
}

describe.each(['footer', 'careful'])('what a visitor says of a known person, by the form %s', (formId) => {
  const at = (name: string) => `${name}-${formId}@example.com`

  it('replaces nothing, fills what is empty, and gives the consent', async () => {
    const email = at('victim')
    const known = { phone: formId === 'footer' ? '+972501234567' : '+972501234568', firstName: 'Ada', customProperties: { tier: 'none' } }
    await person(email, known)
    const fields = { firstName: 'Mallory', lastName: 'Lee', tier: 'gold', size: 'XL' }
    await signUp(formId, { email, phone: THEIRS, fields })
    expect(await profile(email)).toMatchObject({
      ...known,
      lastName: 'Lee',
      customProperties: { tier: 'none', size: 'XL' },
      emailConsent: 'subscribed',
      smsConsent: 'never_subscribed',
    })
  })

  it('gives no phone, by the body or by its fields, to one who has none: texts would go to the stranger', async () => {
    const inBody = await person(at('none'))
    await signUp(formId, { email: at('none'), phone: THEIRS })
    await person(at('fields'))
    await signUp(formId, { email: at('fields'), fields: { phone: THEIRS } })
    for (const name of ['none', 'fields']) expect(await profile(at(name))).toMatchObject({ phone: null, smsConsent: 'never_subscribed' })
    const text = await acme.request('POST', '/public/messages/sms', {
      contactId: inBody.id,
      senderId: 'SHOPTEL',
      body: 'Your code is 4711',
    })
    expect(text.status).toBe(400)
    expect(await outboxOf(world).list('?channel=sms')).toEqual([])
  })

  it('does not bring an email to the person who has a phone', async () => {
    const phone = formId === 'footer' ? '+972502222221' : '+972502222222'
    const owner = await profilesOf(acme).create({ phone })
    await signUp(formId, { email: at('thief'), phone })
    expect(await profilesOf(acme).get(owner.id)).toMatchObject({ phone, email: null })
    expect(await profile(at('thief'))).toMatchObject({ phone: null, emailConsent: 'subscribed' })
  })

  it('of what there is no room for is left out, and answered like that of a stranger', async () => {
    await person(at('full'), { customProperties: { vip: true } })
    const fields = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`p${n}`, 'x']))
    const answers = [
      await visitor().subscribe({ email: at('full'), formId, fields }),
      await visitor().subscribe({ email: at('free'), formId, fields }),
    ]
    const pending = formId === 'careful' ? { pending: true } : {}
    for (const { status, body } of answers)
      expect([status, body]).toEqual([200, { success: true, data: { ok: true, contactId: expect.any(String), isNew: true, ...pending } }])
    if (formId === 'careful') await confirm(at('full'))
    expect(await profile(at('full'))).toMatchObject({ customProperties: { vip: true }, emailConsent: 'subscribed' })
  })

  it('says it again after an unsubscription, and only that moves', async () => {
    const email = at('again')
    const { id } = await person(email, { firstName: 'Ada' })
    await acme.request('PATCH', `/public/profiles/${id}`, { emailConsent: 'unsubscribed', smsConsent: 'unsubscribed' })
    await signUp(formId, { email, phone: THEIRS, fields: { firstName: 'Mallory' } })
    const now = { firstName: 'Ada', phone: null, emailConsent: 'subscribed', smsConsent: 'unsubscribed' }
    expect(await profile(email)).toMatchObject(now)
  })
})

it('a new visitor is taken with his phone and all he says, at once', async () => {
  await signUp('footer', { email: 'new@example.com', phone: '050-333 3333', fields: { firstName: 'Eve', size: 'M' } })
  const said = { phone: '+972503333333', firstName: 'Eve', customProperties: { size: 'M' } }
  expect(await profile('new@example.com')).toMatchObject(said)
  await signUp('footer', { email: 'NEW@example.com', phone: THEIRS, fields: { firstName: 'Mallory', size: 'S' } })
  expect(await profile('new@example.com')).toMatchObject(said)
})

it('a visitor whose address is to be confirmed is taken without the phone, which the person who clicks has not seen', async () => {
  await signUp('careful', { email: 'unseen@example.com', phone: THEIRS, fields: { firstName: 'Eve', size: 'M' } })
  expect(await profile('unseen@example.com')).toMatchObject({ phone: null, firstName: 'Eve', customProperties: { size: 'M' } })
})

it('many at once for one address leave what the first said, and one contact', async () => {
  const said = Array.from({ length: 8 }, (_, n) => ({
    email: 'rush@example.com',
    phone: `+97250444444${n}`,
    fields: { firstName: `N${n}` },
  }))
  const answers = await Promise.all(said.map((body) => visitor().subscribe({ ...body, formId: 'footer' })))
  expect(answers.map(({ status }) => status)).toEqual(said.map(() => 200))
  const { phone, firstName } = await profile('rush@example.com')
  expect(said.map((one) => [one.phone, one.fields.firstName])).toContainEqual([phone, firstName])
})

it('a secret key keeps to the contract: an upsert of a known person', async () => {
  const { id } = await person('server@example.com', { firstName: 'Ada' })
  const { body } = await formOf(acme).subscribe({
    email: 'server@example.com',
    phone: '+972505555555',
    formId: 'footer',
    fields: { firstName: 'Eve' },
  })
  expect(body.data).toEqual({ ok: true, contactId: id, isNew: false })
  expect(await profile('server@example.com')).toMatchObject({ firstName: 'Eve', phone: '+972505555555' })
})

describe('the id that a page is answered', () => {
  it('opens no registration, whether the address was known or new, to confirm or not', async () => {
    await person('known@example.com')
    for (const formId of ['footer', 'careful'])
      for (const email of ['known@example.com', `fresh-${formId}@example.com`]) {
        const { body } = await visitor().subscribe({ email, formId })
        for (const client of [page, acme]) {
          const answer = await client.request('POST', '/push/subscriptions', { profileId: body.data.contactId, ...browserOf(1) })
          expect(outcome(answer)).toEqual(uncoded(404, 'Profile not found'))
        }
        expect((await acme.request('GET', `/public/profiles/${body.data.contactId}`)).status).toBe(404)
        expect((await profile(email)).pushConsent).toBe('never_subscribed')
      }
  })

  it('is another each time, and under an Idempotency-Key the same, which opens no more', async () => {
    const ask = async (headers = {}) =>
      (await visitor().subscribe({ email: 'twice@example.com', formId: 'footer' }, headers)).body.data.contactId
    expect(await ask()).not.toBe(await ask())
    const [first, second] = [await ask({ 'Idempotency-Key': 'k' }), await ask({ 'Idempotency-Key': 'k' })]
    expect(second).toBe(first)
    expect((await profile('twice@example.com')).id).not.toBe(first)
  })
})

describe('a page that registers a browser', () => {
  const url = () => `${world.url}/api/v1/push/subscriptions`
  const asked = async (key: string, { origin = SHOP, profileId }: Readonly<{ origin?: string; profileId: string }>) => {
    const headers = { Origin: origin, 'Content-Type': 'application/json', 'X-API-Key': key, 'X-Sender-Tenant': 'acme' }
    const { status, headers: answered } = await fetch(url(), {
      method: 'POST',
      headers,
      body: JSON.stringify({ profileId, ...browserOf(2) }),
    })
    return [status, answered.get('access-control-allow-origin')]
  }

  it('asks first, as for a form', async () => {
    const headers = {
      Origin: SHOP,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type,x-api-key,x-sender-tenant',
    }
    const { status, headers: answered } = await fetch(url(), { method: 'OPTIONS', headers })
    const form = await visitor().preflight()
    expect(status).toBe(204)
    for (const name of ['origin', 'methods', 'headers'].map((word) => `access-control-allow-${word}`)) {
      expect(answered.get(name)).toBe(form.headers.get(name))
      expect(answered.get(name)).not.toBeNull()
    }
  })

  it('reads every answer by a publishable key of an allowed origin, and none else', async () => {
    const { id: profileId } = await person('push@example.com')
    expect(await asked(page.key, { profileId })).toEqual([200, SHOP])
    expect(await asked(page.key, { profileId: page.applied.workspace.id })).toEqual([404, SHOP])
    expect(await asked(page.key, { profileId: 'none' })).toEqual([400, SHOP])
    expect(await asked(`pk_evt_${'0'.repeat(64)}`, { profileId })).toEqual([401, SHOP])
    expect(await asked(acme.key, { profileId })).toEqual([200, null])
  })

  it('of another origin is refused, and registers nothing', async () => {
    const { id: profileId } = await person('elsewhere@example.com')
    expect(await asked(page.key, { profileId, origin: 'https://evil.example' })).toEqual([403, null])
    expect(await asked(page.key, { profileId, origin: 'null' })).toEqual([403, null])
    expect((await profile('elsewhere@example.com')).pushConsent).toBe('never_subscribed')
    dataOf(await page.request('POST', '/push/subscriptions', { profileId, ...browserOf(3) }), 200)
  })
})
