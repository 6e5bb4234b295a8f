import { untilVisible } from '@tidings/service/read-side'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

let world: World
let acme: Client
let profiles: ReturnType<typeof profilesOf>

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme')
  profiles = profilesOf(acme)
})
afterAll(() => world.stop())

/** A write waits for what its answer shows, and not for the history. */
const everythingIsShown = async (): Promise<boolean> =>
  untilVisible(world.stores.pool, await world.stores.log.head(), { timeoutMs: 180_000 })

/** What the history keeps of a contact, oldest first. No route shows it yet. */
const historyOf = async (contactId: string): Promise<readonly string[]> => {
  await everythingIsShown()
  const { rows } = await world.stores.pool.query<{ line: string }>(
    `select channel || ' ' || from_status || ' > ' || to_status || ' by ' || source as line
     from read.consent_history where contact_id = $1 order by revision`,
    [contactId],
  )
  return rows.map(({ line }) => line)
}

describe('consent', () => {
  it('is kept per channel with its time, and its source where one is given', async () => {
    const created = await profiles.create({
      email: 'ada@example.com',
      emailConsent: 'subscribed',
      emailConsentSource: 'checkout',
      smsConsent: 'unsubscribed',
    })
    expect(created).toMatchObject({ emailConsent: 'subscribed', smsConsent: 'unsubscribed', pushConsent: 'never_subscribed' })
    expect(created.emailConsentTimestamp).toBe(created.createdAt)
    expect(created.smsConsentTimestamp).toBe(created.createdAt)
    expect(created.pushConsentTimestamp).toBeNull()
    expect(await historyOf(created.id)).toEqual([
      'email never_subscribed > subscribed by checkout',
      'sms never_subscribed > unsubscribed by api',
    ])
  })

  it('takes every value on every channel, by each write', async () => {
    const { id } = await profiles.create({ email: 'all@example.com', pushConsent: 'cleaned' })
    expect(await profiles.upsert({ email: 'all@example.com', emailConsent: 'unsubscribed' })).toMatchObject({
      emailConsent: 'unsubscribed',
    })
    expect(await profiles.patchByEmail({ email: 'all@example.com', smsConsent: 'never_subscribed' })).toMatchObject({
      smsConsent: 'never_subscribed',
    })
    expect(await profiles.patch(id, { pushConsent: 'subscribed', pushConsentSource: 's' })).toMatchObject({
      emailConsent: 'unsubscribed',
      smsConsent: 'never_subscribed',
      pushConsent: 'subscribed',
    })
  })

  it('said again stamps its time anew and is a line of history', async () => {
    const first = await profiles.create({ email: 'again@example.com', emailConsent: 'subscribed' })
    const again = await profiles.patch(first.id, { emailConsent: 'subscribed' })
    expect(again.emailConsentTimestamp).toBe(again.updatedAt)
    expect(await historyOf(first.id)).toEqual(['email never_subscribed > subscribed by api', 'email subscribed > subscribed by api'])
  })

  it('keeps the caller, address and agent as evidence', async () => {
    const { body } = await acme.request(
      'PUT',
      '/public/profiles',
      { email: 'evidence@example.com', smsConsent: 'subscribed' },
      {
        'User-Agent': 'shop/1.0',
        'X-Request-Id': 'evidence-1',
      },
    )
    await everythingIsShown()
    const { rows } = await world.stores.pool.query(
      'select actor, ip, user_agent, request_id from read.consent_history where contact_id = $1',
      [(body.data as { id: string }).id],
    )
    const [key] = acme.applied.apiKeys
    expect(rows).toEqual([{ actor: `key:${key?.id}`, ip: '127.0.0.1', user_agent: 'shop/1.0', request_id: 'evidence-1' }])
  })

  it('has no source on PATCH by email, and no other values', async () => {
    const bad = async (body: object) => outcome(await acme.request('PATCH', '/public/profiles', { email: 'ada@example.com', ...body }))
    expect(await bad({ emailConsentSource: 'x' })).toEqual(uncoded(400, 'property emailConsentSource should not exist'))
    expect(await bad({ emailConsent: 'yes' })).toEqual(
      uncoded(400, 'emailConsent must be one of the following values: subscribed, unsubscribed, never_subscribed, cleaned'),
    )
  })
})

describe('the blacklist', () => {
  it.each([
    ['email', { emailSuppressed: true, smsSuppressed: false }],
    ['sms', { emailSuppressed: false, smsSuppressed: true }],
    ['both', { emailSuppressed: true, smsSuppressed: true }],
  ])('suppresses %s and lifts it, and leaves consent alone', async (channel, suppressed) => {
    const email = `${channel}@black.example`
    const { id } = await profiles.create({ email, emailConsent: 'subscribed', smsConsent: 'subscribed' })
    const consent = { emailConsent: 'subscribed', smsConsent: 'subscribed' }
    expect(await profiles.blacklist({ email: email.toUpperCase(), channel })).toMatchObject({ id, ...suppressed, ...consent })
    expect(await profiles.blacklist({ contactId: id, channel })).toMatchObject({ id, ...suppressed })
    expect(await profiles.lift({ contactId: id.toUpperCase(), channel })).toMatchObject({
      emailSuppressed: false,
      smsSuppressed: false,
      ...consent,
    })
  })

  it('lifts one channel and not the other', async () => {
    const { id } = await profiles.create({ email: 'one-of-two@black.example' })
    await profiles.blacklist({ contactId: id, channel: 'both' })
    expect(await profiles.lift({ contactId: id, channel: 'email' })).toMatchObject({ emailSuppressed: false, smsSuppressed: true })
  })

  it('believes contactId where an email is given as well', async () => {
    const { id } = await profiles.create({ email: 'wins@black.example' })
    const other = await profiles.create({ email: 'loses@black.example' })
    expect((await profiles.blacklist({ contactId: id, email: 'loses@black.example', channel: 'email' })).id).toBe(id)
    expect((await profiles.get(other.id)).emailSuppressed).toBe(false)
  })

  it.each(['POST', 'DELETE'])('%s asks for a channel and for a contact, and says when none is found', async (method) => {
    const ask = async (body: object) => outcome(await acme.request(method, '/public/profiles/blacklist', body))
    const channels = 'channel must be one of the following values: email, sms, both'
    expect(await ask({ email: 'ada@example.com' })).toEqual(uncoded(400, channels))
    expect(await ask({ email: 'ada@example.com', channel: 'push' })).toEqual(uncoded(400, channels))
    expect(await ask({ channel: 'email' })).toEqual(uncoded(400, 'email or contactId is required'))
    expect(await ask({ contactId: '7', channel: 'email' })).toEqual(uncoded(400, 'contactId must be a UUID'))
    expect(await ask({ email: 'unknown@black.example', channel: 'email' })).toEqual(uncoded(404, 'Profile not found'))
    expect(await ask({ contactId: UNKNOWN, channel: 'email' })).toEqual(uncoded(404, 'Profile not found'))
    expect(await ask({ contactId: UNKNOWN, email: 'ada@example.com', channel: 'email' })).toEqual(uncoded(404, 'Profile not found'))
  })
})

describe('a phone number', () => {
  it.each([
    ['050-123 4501', '+972501234501'],
    ['050/1234508', '+972501234508'],
    ['(050) 123.4502', '+972501234502'],
    ['+972 50 1234503', '+972501234503'],
    ['00972501234504', '+972501234504'],
    ['+1 (555) 010-0205', '+15550100205'],
    ['0015550100206', '+15550100206'],
    ['03-1234507', '+97231234507'],
    ['+123456789012345', '+123456789012345'],
    ['+12345678', '+12345678'],
  ])('%s is stored as %s', async (phone, stored) => {
    expect((await profiles.create({ phone })).phone).toBe(stored)
    expect(outcome(await acme.request('POST', '/public/profiles', { phone: stored }))).toMatchObject({ code: 'contact_phone_taken' })
  })

  it.each(['', '   ', 'call me', '+1234567', '+1234567890123456', '12345', '+0501234567', '+97250123456x', '++972501234567'])(
    '%j is refused, with a code, by every write',
    async (phone) => {
      const { id } = await profiles.upsert({ email: 'phones@example.com' })
      const refused = { status: 400, success: false, code: 'invalid_phone' }
      expect(outcome(await acme.request('POST', '/public/profiles', { phone }))).toMatchObject(refused)
      expect(outcome(await acme.request('PUT', '/public/profiles', { phone }))).toMatchObject(refused)
      expect(outcome(await acme.request('PATCH', '/public/profiles', { email: 'phones@example.com', phone }))).toMatchObject(refused)
      expect(outcome(await acme.request('PATCH', `/public/profiles/${id}`, { phone }))).toMatchObject(refused)
    },
  )

  it('is of the country of the workspace when it is written as for use inside it', async () => {
    const paris = profilesOf(await world.workspace('paris', 'country: FR'))
    expect((await paris.create({ phone: '06 12 34 56 78' })).phone).toBe('+33612345678')
  })
})
