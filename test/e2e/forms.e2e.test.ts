import type { Profile } from '@tidings/contracts'
import { asContactId, type ContactEvent, contactStream, type SignUpEvent, signUpStream } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { type FormAnswer, formOf, SHOP } from './support/forms.ts'
import { profilesOf } from './support/profiles.ts'
import { eventsOfWorkspace, storedEvents } from './support/stored-log.ts'
import { startWorld, type World } from './support/world.ts'

const FORMS = `
features: [embedded_forms]
formOrigins: ["${SHOP}", "http://localhost:5173"]
lists: [{ name: VIP, type: static }]
forms: [{ id: footer, list: VIP }]`

let world: World
let acme: Client
let other: Client
let form: ReturnType<typeof formOf>

beforeAll(async () => {
  world = await startWorld({ TIDINGS_RATE_LIMIT_FORMS: 'off' })
  acme = await world.workspace('acme', FORMS)
  other = await world.workspace('other', FORMS.replace(SHOP, 'https://other.example'))
  form = formOf(acme)
})
afterAll(() => world.stop())

const said = ({ status, body: { message, code } }: FormAnswer) => [status, message, code]
const readableBy = ({ headers }: FormAnswer) => headers.get('access-control-allow-origin')
const profile = (id: unknown): Promise<Profile> => profilesOf(acme).get(String(id))
const members = async (client: Client): Promise<readonly string[]> => {
  const { body } = await client.request('GET', `/public/profiles?segmentId=${client.applied.lists.VIP}&limit=200`)
  return (body.data as { items: readonly Profile[] }).items.map(({ id }) => id)
}
const eventsOf = (contactId: unknown) => {
  const { id } = acme.applied.workspace
  return world.stores.log.readStream<ContactEvent>(id, contactStream(id, asContactId(String(contactId))))
}
const signUpsOf = async (contactId: unknown) => {
  const { id } = acme.applied.workspace
  const streams = (await storedEvents(world.stores.store))
    .filter(({ stream }) => stream.startsWith(`signup-${id}-`))
    .map(({ stream }) => stream)
  const all = await Promise.all([...new Set(streams)].map((stream) => world.stores.log.readStream<SignUpEvent>(id, stream)))
  return all.flat().filter(({ data }) => data.contactId === contactId)
}
const eventCount = async () => (await eventsOfWorkspace(world.stores.store, acme.applied.workspace.id)).length

describe('a sign-up', () => {
  it('creates a contact with its fields, its consent and its membership', async () => {
    const { status, body } = await form.subscribe(
      {
        email: '  Ada@Example.com ',
        phone: '050-100 0001',
        formId: 'footer',
        fields: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          timezone: 'Europe/London',
          locale: 'en-GB',
          size: 38,
          colours: ['red'],
          gone: null,
        },
        sourceUrl: `${SHOP}/sale?utm_source=mail`,
      },
      { 'User-Agent': 'Browser/1.0' },
    )
    expect([status, body]).toEqual([
      200,
      { success: true, data: { ok: true, contactId: expect.stringMatching(/^[0-9a-f-]{36}$/), isNew: true } },
    ])
    const { contactId } = body.data
    const shown = await profile(contactId)
    expect(shown).toMatchObject({
      email: 'ada@example.com',
      phone: '+972501000001',
      firstName: 'Ada',
      lastName: 'Lovelace',
      timezone: 'Europe/London',
      locale: 'en-GB',
      emailConsent: 'subscribed',
      smsConsent: 'never_subscribed',
      customProperties: { size: 38, colours: ['red'] },
    })
    expect(await members(acme)).toContain(contactId)
    const consent = (await eventsOf(contactId)).find(({ type }) => type === 'ContactConsentRecorded')
    expect(consent).toMatchObject({
      data: { channel: 'email', to: 'subscribed', source: 'embedded_form', ip: '127.0.0.1', userAgent: 'Browser/1.0' },
      meta: { actor: 'form:footer', at: shown.emailConsentTimestamp },
    })
  })

  it('is an event of its own, whose label and page are sealed', async () => {
    const { body } = await form.subscribe({ email: 'sealed@example.com', formId: 'Pied de page', sourceUrl: `${SHOP}/secret-page` })
    expect(await signUpsOf(body.data.contactId)).toMatchObject([
      { type: 'FormSubmitted', data: { formId: 'Pied de page', sourceUrl: `${SHOP}/secret-page`, listId: null, confirmBy: null } },
    ])
    const stored = (await storedEvents(world.stores.store)).filter(({ stream }) => stream.startsWith('signup-'))
    expect(JSON.stringify(stored.map(({ data, meta }) => [data.toString(), meta.toString()]))).not.toMatch(/secret-page|Pied de page/)
  })

  it('of a known address changes its contact, and records the consent again', async () => {
    const first = await form.subscribe({ email: 'known@example.com', fields: { firstName: 'Ann', size: 1 } })
    const again = await form.subscribe({ email: 'known@example.com', phone: '+972501000002', fields: { lastName: 'Lee', size: 2 } })
    expect(again.body.data).toEqual({ ok: true, contactId: first.body.data.contactId, isNew: false })
    expect(await profile(first.body.data.contactId)).toMatchObject({
      firstName: 'Ann',
      lastName: 'Lee',
      phone: '+972501000002',
      customProperties: { size: 2 },
    })
    const consents = (await eventsOf(first.body.data.contactId)).filter(({ type }) => type === 'ContactConsentRecorded')
    expect(consents).toHaveLength(2)
  })

  it('subscribes an address that was unsubscribed, or cleaned', async () => {
    for (const before of ['unsubscribed', 'cleaned']) {
      const email = `${before}@example.com`
      const { id } = await profilesOf(acme).create({ email, emailConsent: before })
      expect((await form.subscribe({ email })).body.data).toEqual({ ok: true, contactId: id, isNew: false })
      expect((await profile(id)).emailConsent).toBe('subscribed')
    }
  })

  it('joins no list where the workspace file does not name its form', async () => {
    const { body } = await form.subscribe({ email: 'unlisted@example.com', formId: 'unknown' })
    expect(await members(acme)).not.toContain(body.data.contactId)
    expect((await eventsOf(body.data.contactId)).map(({ meta }) => meta.actor)).toContain('form:unknown')
  })

  it('takes the phone from the fields where the body has none, and only there', async () => {
    const one = await form.subscribe({ email: 'fields@example.com', fields: { phone: '0501000003' } })
    expect((await profile(one.body.data.contactId)).phone).toBe('+972501000003')
    const two = await form.subscribe({ email: 'both@example.com', phone: '0501000004', fields: { phone: '0501000005' } })
    expect((await profile(two.body.data.contactId)).phone).toBe('+972501000004')
  })

  it('repeated under one Idempotency-Key is one sign-up', async () => {
    const headers = { 'Idempotency-Key': 'sign-up-1' }
    const first = await form.subscribe({ email: 'once@example.com', formId: 'footer' }, headers)
    const again = await form.subscribe({ email: 'once@example.com', formId: 'footer' }, headers)
    expect(again.body).toEqual(first.body)
    expect(readableBy(again)).toBe(SHOP)
    expect(await signUpsOf(first.body.data.contactId)).toHaveLength(1)
  })

  it('of one address, a hundred times at once, is one contact and one creation', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        form.subscribe({ email: 'hundred@example.com', formId: 'footer', fields: { [`k${n % 50}`]: n } }),
      ),
    )
    // A machine that is busy enough may answer some of them 503.
    const done = answers.filter(({ status }) => status !== 503)
    expect([...new Set(done.map(({ status }) => status))]).toEqual([200])
    expect(new Set(done.map(({ body }) => body.data.contactId)).size).toBe(1)
    expect(done.filter(({ body }) => body.data.isNew === true)).toHaveLength(1)
    expect((await members(acme)).filter((id) => id === done[0]?.body.data.contactId)).toHaveLength(1)
    const created = (await eventsOf(done[0]?.body.data.contactId)).filter(({ type }) => type === 'ContactCreated')
    expect(created).toHaveLength(1)
  })
})

describe('a filled honeypot', () => {
  it('is answered like a sign-up, and writes nothing', async () => {
    const real = await form.subscribe({ email: 'real@example.com', fields: { _website: '  ' } })
    expect((await profile(real.body.data.contactId)).customProperties).toEqual({})
    const before = await eventCount()
    for (const filled of ['https://spam.example', 1, { a: 1 }]) {
      const { status, body } = await form.subscribe({ email: 'bot@example.com', formId: 'footer', fields: { _website: filled } })
      expect([status, Object.keys(body.data)]).toEqual([200, Object.keys(real.body.data)])
      expect(body.data).toMatchObject({ ok: true, isNew: true, contactId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) })
      expect((await acme.request('GET', `/public/profiles/${body.data.contactId}`)).status).toBe(404)
    }
    expect((await acme.request('GET', '/public/profiles/lookup?email=bot@example.com')).status).toBe(404)
    expect(await eventCount()).toBe(before)
  })

  it('is recognised before a value is judged: what a person is refused for, a program is not', async () => {
    await world.apply('workspace: { slug: acme, name: acme }\ncustomFields: [{ key: birthday, label: Birthday, kind: date }]')
    const birthday = '2026-02-30'
    const madeUp = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`made-up-${n}`, birthday]))
    const person = await form.subscribe({ email: 'date@example.com', fields: { ...madeUp, birthday } })
    expect([person.status, person.body.message]).toEqual([400, 'fields.birthday must be a valid ISO 8601 date string'])
    expect((await form.subscribe({ email: 'date@example.com', fields: { birthday, _website: 'x' } })).status).toBe(200)
    expect((await acme.request('GET', '/public/profiles/lookup?email=date@example.com')).status).toBe(404)
  })
})

describe('a refusal writes nothing, and says why', () => {
  it.each<[string, unknown, string]>([
    ['no email', {}, 'email must be a string'],
    ['an email that is none', { email: 'ada' }, 'email must be an email'],
    ['a long email', { email: `${'a'.repeat(312)}@b.example` }, 'email must be'],
    ['a long phone', { email: 'a@b.example', phone: '1'.repeat(41) }, 'phone must be shorter than or equal to 40 characters'],
    ['a phone that is none', { email: 'a@b.example', phone: 'call me' }, 'The phone number is not valid'],
    ['a phone that is none, in the fields', { email: 'a@b.example', fields: { phone: '12' } }, 'The phone number is not valid'],
    ['a long formId', { email: 'a@b.example', formId: 'f'.repeat(121) }, 'formId must be shorter than or equal to 120 characters'],
    [
      'a long sourceUrl',
      { email: 'a@b.example', sourceUrl: 'u'.repeat(2_049) },
      'sourceUrl must be shorter than or equal to 2048 characters',
    ],
    ['fields that are no object', { email: 'a@b.example', fields: ['a'] }, 'fields must be an object'],
    ['a native field that is no text', { email: 'a@b.example', fields: { firstName: { $ne: 1 } } }, 'fields.firstName must be a string'],
    [
      'a native field that is too long',
      { email: 'a@b.example', fields: { locale: 'x'.repeat(11) } },
      'fields.locale must be shorter than or equal to 10 characters',
    ],
    [
      'too many properties',
      { email: 'a@b.example', fields: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`k${n}`, n])) },
      'customProperties must not have more than 200 keys',
    ],
    [
      'properties that are too large',
      { email: 'a@b.example', fields: { k: 'x'.repeat(33_000) } },
      'customProperties must not exceed 32768 bytes',
    ],
    ['NUL', { email: 'a@b.example', fields: { k: '\0' } }, 'Request contains invalid characters'],
    ['a lone surrogate in a key', { email: 'a@b.example', fields: { '\ud800': 1 } }, 'Request contains invalid characters'],
    ['an unknown property', { email: 'a@b.example', list: 'VIP' }, 'property list should not exist'],
    ['no object', '[]', 'Validation failed (object is expected)'],
    ['no JSON', '{"email"', 'Request body is not valid JSON'],
  ])('400 for %s, readable by the page', async (_, body, message) => {
    const before = await eventCount()
    const answer = await form.subscribe(body)
    expect([answer.status, readableBy(answer)]).toEqual([400, SHOP])
    expect(answer.body.message).toContain(message)
    expect(await eventCount()).toBe(before)
  })

  it('401 for a key that is wrong or missing, readable by the page of the workspace that is named', async () => {
    const wrong = await form.subscribe({ email: 'a@b.example' }, { 'X-API-Key': other.key })
    expect([...said(wrong), readableBy(wrong)]).toEqual([401, 'Invalid API key', undefined, SHOP])
    const none = await form.subscribe({ email: 'a@b.example' }, { 'X-API-Key': '' })
    expect([...said(none), readableBy(none)]).toEqual([401, 'Missing tenant or API key', undefined, SHOP])
    const tenant = await form.subscribe({ email: 'a@b.example' }, { 'X-Sender-Tenant': 'unknown' })
    expect([...said(tenant), readableBy(tenant)]).toEqual([401, 'Invalid API key', undefined, null])
  })

  it('403 from an origin that is not allowed, or from none, and the page cannot read it', async () => {
    const before = await eventCount()
    for (const origin of ['https://evil.example', `${SHOP}.evil.example`, 'http://shop.acme.example', `${SHOP}:8443`, 'null', null]) {
      const answer = await formOf(acme, origin).subscribe({ email: 'a@b.example' })
      expect([origin, ...said(answer), readableBy(answer)]).toEqual([origin, 403, 'Origin is not allowed', undefined, null])
      expect(answer.headers.get('vary')).toContain('Origin')
    }
    expect(await eventCount()).toBe(before)
  })

  it('403 at the origin of another workspace, which reads only what is its own', async () => {
    const theirs = await formOf(acme, 'https://other.example').subscribe({ email: 'a@b.example' })
    expect([theirs.status, readableBy(theirs)]).toEqual([403, null])
    const mixed = await formOf({ ...acme, slug: other.slug }, 'https://other.example').subscribe({ email: 'a@b.example' })
    expect([mixed.status, readableBy(mixed)]).toEqual([401, 'https://other.example'])
  })

  it('403 where embedded forms are not enabled, and while the workspace is suspended', async () => {
    const off = await world.workspace('off', `formOrigins: ["${SHOP}"]`)
    const answer = await formOf(off).subscribe({ email: 'a@b.example' })
    expect([...said(answer), readableBy(answer)]).toEqual([403, 'Embedded forms are not enabled', undefined, SHOP])
    const idle = await world.workspace('idle', FORMS)
    await world.operate(idle.applied.workspace.id, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
    const suspended = await formOf(idle).subscribe({ email: 'a@b.example' })
    expect([...said(suspended), readableBy(suspended)]).toEqual([403, 'Workspace is not active', undefined, SHOP])
  })

  it('409 for the phone of another contact, whose email stays', async () => {
    const { id } = await profilesOf(acme).create({ phone: '+972501000009' })
    const answer = await form.subscribe({ email: 'thief@example.com', phone: '0501000009' })
    expect([answer.status, answer.body.code, readableBy(answer)]).toEqual([409, 'contact_phone_taken', SHOP])
    expect(await profile(id)).toMatchObject({ email: null, emailConsent: 'never_subscribed' })
    expect((await acme.request('GET', '/public/profiles/lookup?email=thief@example.com')).status).toBe(404)
  })

  it('413 for a body that is too large, readable by the page', async () => {
    const answer = await form.subscribe(`{"email":"a@b.example","fields":{"k":"${'x'.repeat(8_400_000)}"}}`)
    expect([answer.status, readableBy(answer)]).toEqual([413, SHOP])
  })
})

describe('an origin', () => {
  it('is allowed from the moment the workspace file says so, and no longer', async () => {
    const moving = await world.workspace('moving', FORMS)
    expect((await formOf(moving, 'https://new.example').subscribe({ email: 'a@b.example' })).status).toBe(403)
    await world.workspace('moving', FORMS.replace(SHOP, 'https://new.example'))
    expect((await formOf(moving, 'https://new.example').subscribe({ email: 'a@b.example' })).status).toBe(200)
    expect((await formOf(moving).subscribe({ email: 'a@b.example' })).status).toBe(403)
  })
})

describe('a preflight', () => {
  it('is answered 204 for every origin, because it names no workspace', async () => {
    for (const origin of [SHOP, 'https://evil.example', 'null']) {
      const { status, headers, body } = await formOf(acme, origin).preflight()
      expect([status, body.message]).toEqual([204, ''])
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('access-control-allow-methods')).toBe('POST')
      for (const name of ['content-type', 'x-sender-tenant', 'x-api-key', 'idempotency-key'])
        expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain(name)
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.get('vary')).toContain('Origin')
    }
  })

  it('of another route is an unknown route', async () => {
    const answer = await fetch(`${world.url}/api/v1/public/profiles`, { method: 'OPTIONS', headers: { Origin: SHOP } })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([404, null])
  })
})

it('no other route with a key answers another origin', async () => {
  const answer = await acme.request('POST', '/public/profiles', {}, { Origin: SHOP })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, null])
})

it('a form of another workspace joins none of its lists', async () => {
  const theirs = await members(other)
  await form.subscribe({ email: 'mine@example.com', formId: 'footer' })
  expect(await members(other)).toEqual(theirs)
  expect((await other.request('GET', '/public/profiles/lookup?email=mine@example.com')).status).toBe(404)
})

it('a sign-up has a stream of its own', async () => {
  const { body } = await form.subscribe({ email: 'stream@example.com' })
  const [submitted] = await signUpsOf(body.data.contactId)
  expect(submitted?.stream).toBe(signUpStream(acme.applied.workspace.id, submitted?.data.signUpId ?? ''))
})
