import type { ContactConsent, Profile } from '@tidings/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { type Session, signIn } from './support/users.ts'
import { startWorld, type World } from './support/world.ts'

const PASSWORD = 'correct horse battery'
const USERS = `users: [{ email: member@acme.example, password: ${PASSWORD}, role: member }]`
const NOT_FOUND = uncoded(404, 'Contact not found')

let world: World
let acme: Client
let other: Client
let member: Session
let profiles: ReturnType<typeof profilesOf>

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme', USERS)
  other = await world.workspace('other')
  member = await signIn(world.url, { email: 'member@acme.example', password: PASSWORD }, world.settle)
  profiles = profilesOf(acme)
})
afterAll(() => world?.stop())

const ask = (id: string, query = '') => member.call(`GET /integrations/contacts/${id}/consent${query}`)
const consentOf = async (id: string, query = '') => dataOf<ContactConsent>(await ask(id, query), 200)
const before = (at: string): string => new Date(Date.parse(at) - 1).toISOString()

describe('GET /integrations/contacts/{id}/consent', () => {
  it('shows the state of each channel at any moment, and the statements up to it with what proves them', async () => {
    const created = await profiles.create({ email: 'ada@people.example', emailConsent: 'subscribed', emailConsentSource: 'checkout' })
    const changing = await acme.request(
      'PATCH',
      `/public/profiles/${created.id}`,
      { emailConsent: 'unsubscribed', smsConsent: 'subscribed' },
      { 'X-Request-Id': 'leave-1', 'User-Agent': 'shop/1.0' },
    )
    const changed = dataOf<Profile>(changing, 200)
    const [key] = acme.applied.apiKeys
    const first = {
      ...{ channel: 'email', from: null, to: 'subscribed', source: 'checkout', at: created.createdAt, actor: `api_key:${key?.id}` },
      ...{ ip: '127.0.0.1', userAgent: expect.any(String), requestId: expect.any(String), position: expect.stringMatching(/^\d{20}/) },
    }
    const later = { ...first, at: changed.updatedAt, source: 'api', userAgent: 'shop/1.0', requestId: 'leave-1' }
    const now = await consentOf(created.id)
    expect(now).toEqual({
      contactId: created.id,
      at: expect.stringMatching(/Z$/),
      channels: { email: 'unsubscribed', sms: 'subscribed', push: 'never_subscribed' },
      history: [
        first,
        { ...later, from: 'subscribed', to: 'unsubscribed' },
        { ...later, channel: 'sms', from: 'never_subscribed', to: 'subscribed' },
      ],
      omitted: 0,
    })
    expect(now.history.map(({ position }) => position)).toEqual(now.history.map(({ position }) => position).toSorted())
    expect(await consentOf(created.id, `?at=${before(changed.updatedAt)}`)).toMatchObject({
      at: before(changed.updatedAt),
      channels: { email: 'subscribed', sms: 'never_subscribed', push: 'never_subscribed' },
      history: [first],
    })
    expect((await consentOf(created.id, `?at=${changed.updatedAt}`)).channels).toEqual(now.channels)
    expect(outcome(await ask(created.id, `?at=${before(created.createdAt)}`))).toEqual(NOT_FOUND)
  })

  it('shows no statement of a contact that was created without one', async () => {
    const { id } = await profiles.create({ email: 'quiet@people.example' })
    expect(await consentOf(id)).toMatchObject({
      channels: { email: 'never_subscribed', sms: 'never_subscribed', push: 'never_subscribed' },
      history: [],
    })
  })

  it('agrees with the profile of every contact', async () => {
    const { items } = dataOf<Readonly<{ items: readonly Profile[] }>>(await acme.request('GET', '/public/profiles?limit=200'), 200)
    expect(items.length).toBeGreaterThan(1)
    for (const { id, emailConsent: email, smsConsent: sms, pushConsent: push } of items)
      expect((await consentOf(id)).channels).toEqual({ email, sms, push })
  })

  it('shows no more than the last thousand statements, and says how many are left out', async () => {
    const { id } = await profiles.create({ email: 'often@people.example', smsConsent: 'subscribed' })
    const stream = `contact-${acme.applied.workspace.id}-${id}`
    const said = {
      contactId: id,
      channel: 'email',
      from: 'subscribed',
      to: 'subscribed',
      source: 'loop',
      ip: null,
      userAgent: null,
      message: null,
    }
    const context = {
      commandId: `often-${id}`,
      workspaceId: acme.applied.workspace.id,
      actor: 'operator',
      requestId: 'often',
      at: '2100-01-01T00:00:00.000Z',
    }
    await world.stores.log.append(
      stream,
      'any',
      Array.from({ length: 1_001 }, () => ({ type: 'ContactConsentRecorded', data: said })),
      context,
    )
    const { history, omitted, channels } = await consentOf(id)
    expect([history.length, omitted, channels.sms]).toEqual([1_000, 2, 'subscribed'])
  })

  it('knows no contact of another workspace, none that never was, and none that is erased', async () => {
    const theirs = await profilesOf(other).create({ email: 'ada@people.example', emailConsent: 'subscribed' })
    expect(outcome(await ask(theirs.id))).toEqual(NOT_FOUND)
    expect(outcome(await ask('00000000-0000-7000-8000-000000000000'))).toEqual(NOT_FOUND)
    const { id } = await profiles.create({ email: 'erased@people.example', emailConsent: 'subscribed' })
    expect((await consentOf(id)).channels.email).toBe('subscribed')
    await world.stores.keyRing.shred(acme.applied.workspace.id, `contact:${id}`)
    expect(outcome(await ask(id))).toEqual(NOT_FOUND)
    expect(outcome(await ask(id, '?at=2100-01-01'))).toEqual(NOT_FOUND)
  })

  it.each([
    ['yesterday', 'at must be a valid ISO 8601 date string'],
    ['2026-02-30', 'at must be a valid ISO 8601 date string'],
    ['2026-11-21T09:00', 'at must be a valid ISO 8601 date string'],
    ['9'.repeat(41), 'at must be shorter than or equal to 40 characters'],
  ])('?at=%s is no moment', async (at, message) => {
    expect(outcome(await ask('00000000-0000-7000-8000-000000000000', `?at=${at}`))).toEqual(uncoded(400, message))
  })
})
