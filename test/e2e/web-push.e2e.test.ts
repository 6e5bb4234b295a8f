import { createHash } from 'node:crypto'
import { type PushService, startPushService } from '@tidings/testing/push-service'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

/** The public key of RFC 8291, Appendix A. */
const PUBLIC_KEY = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'
const env = { TIDINGS_VAPID_PRIVATE_KEY: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' }

let world: World
let service: PushService
let shop: Client

beforeAll(async () => {
  service = await startPushService()
  world = await startWorld(env)
  shop = await world.workspace(
    'pusher',
    `
templates: [{ name: ready, channel: push, push: { title: "Hi {{firstName|you}}", body: "Order {{order}} is ready", url: "https://shop.example/{{order}}" } }]
customEvents: [{ name: order_ready }]
flows: [{ name: Ready, trigger: { type: custom_event, event: order_ready }, steps: [{ send: { channel: push, template: ready } }] }]`,
  )
})
afterAll(async () => {
  await world?.stop()
  await service?.stop()
})

type Data = Readonly<Record<string, unknown>>
const newProfile = async (): Promise<string> => {
  const { body } = await shop.request('POST', '/public/profiles', { email: `${crypto.randomUUID()}@example.com`, firstName: 'Ada' })
  return (body.data as { id: string }).id
}
const profile = async (id: string): Promise<Data> => (await shop.request('GET', `/public/profiles/${id}`)).body.data
const register = (profileId: string, more: Data = {}) =>
  shop.request('POST', '/push/subscriptions', { profileId, ...service.subscribe(), ...more }, { 'User-Agent': 'shop/1.0' })
const consentsOf = async (contactId: string) =>
  (
    await world.stores.pool.query<Data>(
      `select channel, from_status, to_status, source, ip, user_agent from read.consent_history where contact_id = $1 order by at`,
      [contactId],
    )
  ).rows

describe('the public key', () => {
  it('is for everybody, to be kept for an hour', async () => {
    const answer = await fetch(`${world.url}/api/v1/push/public-key`)
    expect(await answer.json()).toEqual({ success: true, data: { publicKey: PUBLIC_KEY, enabled: true } })
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('a registration', () => {
  it('is a record of the browser, and the consent with its evidence', async () => {
    const profileId = await newProfile()
    const browser = service.subscribe()
    const { status, body } = await register(profileId, { ...browser, browser: 'Firefox' })
    expect([status, body.data]).toEqual([
      200,
      {
        id: expect.any(String),
        profileId,
        endpointHash: createHash('sha256').update(browser.endpoint).digest('hex'),
        browser: 'Firefox',
        platform: null,
        createdAt: expect.any(String),
        lastSeenAt: expect.any(String),
        revokedAt: null,
        revokeReason: null,
      },
    ])
    const { lastSeenAt } = body.data as Data
    expect(await profile(profileId)).toMatchObject({ pushConsent: 'subscribed', pushConsentTimestamp: lastSeenAt })
    const said = { channel: 'push', from_status: 'never_subscribed', to_status: 'subscribed', source: 'storefront_popup' }
    await expect.poll(() => consentsOf(profileId)).toEqual([{ ...said, ip: expect.any(String), user_agent: 'shop/1.0' }])
  })

  it('again is the same record with its new labels, and moves to the profile that it names', async () => {
    const [ada, grace] = [await newProfile(), await newProfile()]
    const browser = service.subscribe()
    const first = (await register(ada, { ...browser, browser: 'Firefox' })).body.data as Data
    const second = (await register(ada, { ...browser, platform: 'Linux' })).body.data as Data
    expect(second).toMatchObject({ id: first.id, createdAt: first.createdAt, browser: null, platform: 'Linux' })
    const moved = (await register(grace, browser)).body.data as Data
    expect(moved).toMatchObject({ id: first.id, profileId: grace, createdAt: first.createdAt })
    const { rows } = await world.stores.pool.query('select contact_id from read.push_subscriptions where endpoint_hash = $1', [
      first.endpointHash,
    ])
    expect(rows).toEqual([{ contact_id: grace }])
    expect(await profile(ada)).toMatchObject({ pushConsent: 'subscribed' })
    await expect.poll(() => consentsOf(ada)).toHaveLength(2)
  })

  it('of a profile that is not there is 404, and its browser is not kept', async () => {
    const answer = await register(crypto.randomUUID())
    expect({ status: answer.status, ...answer.body }).toMatchObject(uncoded(404, 'Profile not found'))
  })

  it.each([
    [{ expirationTime: null }, 'property expirationTime should not exist'],
    [{ keys: null }, /^keys /],
    [{ keys: { p256dh: 'a', auth: 'b', other: 'c' } }, 'keys.property other should not exist'],
    [{ keys: { p256dh: '', auth: 'b' } }, 'keys.p256dh should not be empty'],
    [{ endpoint: '' }, 'endpoint should not be empty'],
    [{ endpoint: `https://push.example/${'x'.repeat(2_048)}` }, /^endpoint must be shorter/],
    [{ endpoint: 'javascript:alert(1)' }, 'Push endpoint is not allowed'],
    [{ profileId: 'me' }, 'profileId must be a UUID'],
  ])('with %j is 400, and nothing is written', async (more, message) => {
    const profileId = await newProfile()
    const { status, body } = await register(profileId, more)
    expect([status, body.message]).toEqual([400, typeof message === 'string' ? message : expect.stringMatching(message)])
    expect(await profile(profileId)).toMatchObject({ pushConsent: 'never_subscribed' })
  })
})

describe('a flow', () => {
  it('pushes to the browsers of the contact, and the click leads on', async () => {
    const contactId = await newProfile()
    const browser = service.subscribe()
    await register(contactId, browser)
    await shop.request('POST', '/events/ingest', { event: 'order_ready', contactId, properties: { order: '1001' } })
    const taken = await eventually(
      async () => service.taken.find(({ endpoint }) => endpoint === browser.endpoint),
      (found) => found !== undefined,
    )
    const payload = JSON.parse(taken?.text ?? '{}') as Readonly<{ url: string; tag: string }>
    expect(payload).toMatchObject({ title: 'Hi Ada', body: 'Order 1001 is ready' })
    expect(await shop.messageWith(payload.tag, 'sent')).toMatchObject({ channel: 'push', failureReason: null })
    const clicked = await fetch(payload.url.replace(/^https?:\/\/[^/]+/, world.url), { redirect: 'manual' })
    expect([clicked.status, clicked.headers.get('location')]).toEqual([302, 'https://shop.example/1001'])
  })
})
