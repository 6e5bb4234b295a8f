import { asApiKeyId, byOperator } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf, outcome, uncoded } from './support/answers.ts'
import { type Client, clientOf } from './support/client.ts'
import { formOf, SHOP } from './support/forms.ts'
import { type Installation, install } from './support/installation.ts'
import { outboxOf } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { routesSecuredBy } from './support/routes.ts'
import { storedEvents } from './support/stored-log.ts'
import { call } from './support/users.ts'
import { startWorld, type World } from './support/world.ts'

const FILE = `
features: [embedded_forms]
formOrigins: ["${SHOP}"]
lists: [{ name: VIP, type: static }]
templates: [{ name: confirm, channel: email, subject: Please confirm, html: "<a href='{{confirmUrl}}'>Yes</a>" }]
forms:
  - { id: footer, list: VIP }
  - { id: careful, list: VIP, doubleOptIn: true, template: confirm, from: hello@acme.example }`
const keysOf = (slug: string) => `workspace: { slug: ${slug}, name: ${slug} }\napiKeys: [{ name: page, publishable: true }]`
const ID = '0192f0c0-0000-7000-8000-00000000000f'
const OPENED = ['POST /forms/subscribe', 'POST /push/subscriptions']
const invalid = uncoded(401, 'Invalid API key')

let world: World
let acme: Client
let theirs: readonly string[]
/** The same workspace, by the key in the source of its page. */
let page: Client

beforeAll(async () => {
  world = await startWorld({ TIDINGS_RATE_LIMIT_FORMS: '1000' })
  acme = await world.workspace('acme', FILE)
  page = clientOf({ url: world.url, applied: await world.apply(keysOf('acme')), shown: world.settle })
  const other = await world.workspace('other')
  theirs = [other.key, clientOf({ url: world.url, applied: await world.apply(keysOf('other')), shown: world.settle }).key]
})
afterAll(() => world?.stop())

const visitor = () => formOf(page)
const browserOf = (n: number) => ({ endpoint: `https://8.8.8.8/push/${n}`, keys: { p256dh: 'key', auth: 'secret' } })

it('has a prefix of its own, and the record of its kind', async () => {
  expect(page.key).toMatch(/^pk_evt_[0-9a-f]{64}$/)
  const { rows } = await world.stores.pool.query('select prefix from read.api_keys where id = $1', [page.applied.apiKeys[0]?.id])
  expect(rows).toEqual([{ prefix: page.key.slice(0, 15) }])
})

it('is made once by a file, also beside a secret key of its name', async () => {
  const again = await world.apply(keysOf('acme'))
  expect(again.apiKeys).toEqual([{ id: page.applied.apiKeys[0]?.id, name: 'page' }])
  const secret = await world.apply('workspace: { slug: acme, name: acme }\napiKeys: [{ name: page }]')
  expect(secret.apiKeys).toEqual([{ id: expect.any(String), name: 'page', key: expect.stringMatching(/^sk_evt_/) }])
  expect((await world.apply(keysOf('acme'))).apiKeys).toEqual(again.apiKeys)
})

describe('every route that a key opens', () => {
  it('is refused as an unknown key is, but for two', async () => {
    const before = (await storedEvents(world.stores.store)).length
    const opened: string[] = []
    for (const route of await routesSecuredBy(world.url, 'key')) {
      const [method = '', path = ''] = route.split(' ')
      const asked = async (key: string, tenant = 'acme') => {
        const body = method === 'GET' ? undefined : {}
        return outcome(await acme.request(method, path.replaceAll(/\{\w+\}/g, ID), body, { 'X-API-Key': key, 'X-Sender-Tenant': tenant }))
      }
      const answer = await asked(page.key)
      if (answer.status === 401) {
        expect([route, answer]).toEqual([route, invalid])
        expect(await asked(`sk_evt_${page.key.slice(7)}`)).toEqual(answer)
        expect(await asked(page.key, 'unknown')).toEqual(answer)
      } else opened.push(route)
    }
    expect(opened).toEqual(OPENED)
    expect((await storedEvents(world.stores.store)).length).toBe(before)
  })

  it.each(OPENED)('refuses the key of another workspace, a changed and a revoked one: %s', async (route) => {
    const headersOf = (key: string) => ({ 'X-Sender-Tenant': 'acme', 'X-API-Key': key, Origin: SHOP })
    const asked = async (key: string) => outcome(await call(world.url, route, { body: {}, headers: headersOf(key) }))
    for (const key of [...theirs, `${page.key}0`, page.key.slice(0, -1), page.key.replace('pk_evt_', 'PK_EVT_')])
      expect(await asked(key)).toEqual(invalid)
    const one = await world.apply('workspace: { slug: acme, name: acme }\napiKeys: [{ name: leaked, publishable: true }]')
    const { id = '', key = '' } = one.apiKeys[0] ?? {}
    expect((await asked(key)).status).toBe(400)
    await world.operate(acme.applied.workspace.id, { type: 'RevokeApiKey', data: { ...byOperator, keyId: asApiKeyId(id) } })
    expect(await asked(key)).toEqual(invalid)
  })

  it('stamps when the key was used, not where it was refused', async () => {
    const applied = await world.apply('workspace: { slug: acme, name: acme }\napiKeys: [{ name: stamped, publishable: true }]')
    const { id = '', key = '' } = applied.apiKeys[0] ?? {}
    const stamp = async () => (await world.stores.pool.query('select 1 from ops.api_key_usage where key_id = $1', [id])).rowCount
    const headers = { 'X-Sender-Tenant': 'acme', 'X-API-Key': key, Origin: SHOP }
    // What is stamped after it is written after it.
    const { rows } = await world.stores.pool.query<{ now: Date }>(`select now() - interval '1 second' as now`)
    expect((await call(world.url, 'GET /public/me', { headers })).status).toBe(401)
    expect((await call(world.url, 'GET /public/lists', { headers: { ...headers, 'X-API-Key': acme.key } })).status).toBe(200)
    const secretUsed = 'select last_used_at from ops.api_key_usage where key_id = $1 and last_used_at > $2'
    await expect.poll(async () => (await world.stores.pool.query(secretUsed, [acme.applied.apiKeys[0]?.id, rows[0]?.now])).rowCount).toBe(1)
    expect(await stamp()).toBe(0)
    expect((await call(world.url, 'POST /forms/subscribe', { body: { email: 'stamp@example.com' }, headers })).status).toBe(200)
    await expect.poll(stamp).toBe(1)
  })
})

describe('a page', () => {
  it('signs its visitors up, and is answered like a form', async () => {
    const { status, body, headers } = await visitor().subscribe({ email: 'ada@example.com', formId: 'footer' })
    expect([status, body.data]).toEqual([200, { ok: true, contactId: expect.any(String), isNew: true }])
    expect(headers.get('access-control-allow-origin')).toBe(SHOP)
    expect(await profilesOf(acme).lookup('ada@example.com')).toMatchObject({ emailConsent: 'subscribed' })
  })

  it('does not learn whether an address was known, nor whose contact it is', async () => {
    const { id } = await profilesOf(acme).create({ email: 'known@example.com' })
    for (const formId of ['footer', 'careful', undefined]) {
      const answers = await Promise.all(
        [0, 1].map(async () => (await visitor().subscribe({ email: 'known@example.com', ...(formId && { formId }) })).body.data),
      )
      for (const { isNew, contactId } of answers) {
        expect(isNew).toBe(true)
        expect((await acme.request('GET', `/public/profiles/${contactId}`)).status).toBe(404)
      }
      expect(answers[0]?.contactId).not.toBe(answers[1]?.contactId)
    }
    const secret = await formOf(acme).subscribe({ email: 'known@example.com', formId: 'footer' })
    expect(secret.body.data).toEqual({ ok: true, contactId: id, isNew: false })
    expect((await profilesOf(acme).lookup('known@example.com')).emailConsent).toBe('subscribed')
  })

  it('does not learn that another contact has a telephone number', async () => {
    await profilesOf(acme).create({ email: 'owner@example.com', phone: '+972501234567' })
    const { status, body } = await visitor().subscribe({ email: 'guess@example.com', phone: '050-123-4567', formId: 'footer' })
    expect([status, body.data.isNew]).toEqual([200, true])
    expect(await profilesOf(acme).lookup('guess@example.com')).toMatchObject({ phone: null, emailConsent: 'subscribed' })
    const secret = await formOf(acme).subscribe({ email: 'guess@example.com', phone: '050-123-4567', formId: 'footer' })
    expect(secret.body.code).toBe('contact_phone_taken')
  })

  it('asks to confirm where the form does, and no oftener than it may', async () => {
    const email = 'careful@example.com'
    for (let n = 0; n < 5; n++) expect((await visitor().subscribe({ email, formId: 'careful' })).body.data.pending).toBe(true)
    expect((await profilesOf(acme).lookup(email)).emailConsent).toBe('never_subscribed')
    const mails = async () => (await outboxOf(world).list(`?channel=email&to=${email}`)).length
    await expect.poll(mails).toBe(3)
  })

  it('of an origin that is not allowed is refused', async () => {
    const { status } = await formOf(page, 'https://other.example').subscribe({ email: 'eve@example.com' })
    expect(status).toBe(403)
  })

  it('registers a browser for a contact whose id it has, and reads nothing of it', async () => {
    const { id } = await profilesOf(acme).create({ email: 'push@example.com', firstName: 'Zoë' })
    const registered = dataOf<object>(await page.request('POST', '/push/subscriptions', { profileId: id, ...browserOf(1) }), 200)
    expect(JSON.stringify(registered)).not.toMatch(/Zoë|push@example/)
    expect((await profilesOf(acme).lookup('push@example.com')).pushConsent).toBe('subscribed')
    const unknown = await page.request('POST', '/push/subscriptions', { profileId: ID, ...browserOf(2) })
    expect(outcome(unknown)).toEqual(uncoded(404, 'Profile not found'))
  })
})

describe('on the command line', () => {
  let database: TestDatabase
  let installation: Installation
  beforeAll(async () => {
    database = await testDatabase()
    installation = await install(database.url, {})
    await installation.tidings(['apply', '-f', '-'], 'workspace: { slug: shop, name: Shop }')
  })
  afterAll(async () => {
    await installation?.close()
    await database?.drop()
  })

  it('is made, listed by its kind and revoked', async () => {
    const create = ['api-key', 'create', '--workspace', 'shop', '--name', 'page']
    const made = (await installation.tidings([...create, '--publishable'])) as { id: string; key: string }
    expect(made).toMatchObject({ kind: 'publishable', key: expect.stringMatching(/^pk_evt_[0-9a-f]{64}$/), status: 'active' })
    expect(await installation.tidings(create)).toMatchObject({ kind: 'secret', key: expect.stringMatching(/^sk_evt_/) })
    const kinds = async () => (await installation.tidings(['api-key', 'list', '--workspace', 'shop'])) as { items: readonly object[] }
    expect((await kinds()).items).toMatchObject([{ kind: 'secret' }, { kind: 'publishable', prefix: made.key.slice(0, 15) }])
    expect(await installation.tidings(['api-key', 'revoke', made.id])).toMatchObject({ kind: 'publishable', status: 'revoked' })
  })

  it('is said to leave the secret key of its name active, until that is revoked', async () => {
    const apply = async (keys: string) =>
      (await installation.tidings(['apply', '-f', '-'], `workspace: { slug: shop, name: Shop }\napiKeys: [${keys}]`)) as Readonly<{
        apiKeys: readonly { id: string }[]
        stillActive?: readonly object[]
      }>
    const secret = await apply('{ name: footer }')
    expect(secret).not.toHaveProperty('stillActive')
    const id = secret.apiKeys[0]?.id ?? ''
    expect((await apply('{ name: footer, publishable: true }')).stillActive).toEqual([{ id, name: 'footer', kind: 'secret' }])
    await installation.tidings(['api-key', 'revoke', id])
    expect(await apply('{ name: footer, publishable: true }')).not.toHaveProperty('stillActive')
  })
})
