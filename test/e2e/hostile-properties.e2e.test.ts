import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

type Head = Awaited<ReturnType<World['stores']['log']['head']>>

let world: World
let acme: Client
let contactId: string
let before: Head

const numbered = (prefix: string, count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, i]))

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme')
  contactId = (await profilesOf(acme).create({ email: 'ada@example.com', customProperties: numbered('known', 150) })).id
})
afterAll(() => world.stop())

beforeEach(async () => {
  before = await world.stores.log.head()
})
afterEach(async () => {
  expect(await world.stores.log.head()).toEqual(before)
})

describe('a property of the wrong type or size', () => {
  const long = (length: number): string => 'x'.repeat(length)
  const characters = (name: string, length: number) => `${name} must be shorter than or equal to ${length} characters`

  const profile: readonly (readonly [string, unknown, string])[] = [
    ['email', 5, 'email must be a string'],
    ['email', ['a@b.example'], 'email must be a string'],
    ['email', '', 'email must be an email'],
    ['email', 'a@b', 'email must be an email'],
    ['email', 'a b@c.example', 'email must be an email'],
    ['email', `${long(65)}@c.example`, 'email must be an email'],
    ['phone', 972501234567, 'phone must be a string'],
    ['phone', long(33), characters('phone', 32)],
    ['firstName', { a: 1 }, 'firstName must be a string'],
    ['firstName', long(129), characters('firstName', 128)],
    ['lastName', long(129), characters('lastName', 128)],
    ['timezone', long(65), characters('timezone', 64)],
    ['locale', long(11), characters('locale', 10)],
    ['notes', long(4_001), characters('notes', 4_000)],
    ['notes', 7, 'notes must be a string'],
    ['smsConsent', true, 'smsConsent must be one of the following values: subscribed, unsubscribed, never_subscribed, cleaned'],
    ['pushConsent', 'Subscribed', 'pushConsent must be one of the following values: subscribed, unsubscribed, never_subscribed, cleaned'],
    ['pushConsentSource', long(65), characters('pushConsentSource', 64)],
    ['tags', 'a', 'tags must be an array'],
    ['tags', [1], 'each value in tags must be a string'],
    ['tags', [null], 'each value in tags must be a string'],
    ['customProperties', [], 'customProperties must be an object'],
    ['customProperties', 'a', 'customProperties must be an object'],
  ]

  it.each(profile)('%s of a profile: %j', async (name, value, message) => {
    for (const method of ['POST', 'PUT']) {
      expect(outcome(await acme.request(method, '/public/profiles', { [name]: value }))).toEqual(uncoded(400, message))
    }
    expect(outcome(await acme.request('PATCH', `/public/profiles/${contactId}`, { [name]: value }))).toEqual(uncoded(400, message))
  })

  const send: readonly (readonly [string, unknown, string])[] = [
    ['to', 7, 'to must be a string'],
    ['contactId', 'x', 'contactId must be a UUID'],
    ['contactId', 7, 'contactId must be a string'],
    ['fromEmail', [], 'fromEmail must be a string'],
    ['fromName', {}, 'fromName must be a string'],
    ['replyTo', 'unknown', 'replyTo must be an email'],
    ['subject', 7, 'subject must be a string'],
    ['html', {}, 'html must be a string'],
    ['text', [], 'text must be a string'],
    ['templateId', '123e4567-e89b-12d3-a456-42661417400', 'templateId must be a UUID'],
    ['templateFields', 'a=b', 'templateFields must be an object'],
  ]

  it.each(send)('%s of a send: %j', async (name, value, message) => {
    const body = { to: 'never@example.com', fromEmail: acme.fromEmail, subject: 's', html: 'h', [name]: value }
    expect(outcome(await acme.request('POST', '/public/messages/email', body))).toEqual(uncoded(400, message))
    expect((await acme.request('GET', '/public/profiles/lookup?email=never@example.com')).status).toBe(404)
  })

  it('counts characters as people do: one emoji is one', async () => {
    const name = '🙂'.repeat(129)
    expect(outcome(await acme.request('POST', '/public/profiles', { firstName: name }))).toEqual(uncoded(400, characters('firstName', 128)))
  })

  it('bounds custom properties in keys, bytes and depth, also as the sum of two writes', async () => {
    const nested = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    const asked = async (customProperties: string) =>
      outcome(await acme.request('PATCH', `/public/profiles/${contactId}`, `{"customProperties":${customProperties}}`))
    expect(await asked(JSON.stringify(numbered('more', 51)))).toEqual(uncoded(400, 'customProperties must not have more than 200 keys'))
    expect(await asked(JSON.stringify({ a: 'é'.repeat(16_384) }))).toEqual(uncoded(400, 'customProperties must not exceed 32768 bytes'))
    expect(await asked(nested)).toMatchObject({ status: 400, success: false })
  })
})

describe('a path', () => {
  it.each(['7', '%00', '__proto__', `${'a'.repeat(2_000)}`, "';drop table read.profiles;--", '00000000-0000-7000-8000-00000000000g'])(
    'with %s for an id is 400',
    async (id) => {
      for (const [method, tail] of [
        ['GET', 'profiles'],
        ['PATCH', 'profiles'],
        ['GET', 'messages'],
      ] as const) {
        const { status, body } = await acme.request(
          method,
          `/public/${tail}/${encodeURIComponent(id)}`,
          method === 'PATCH' ? {} : undefined,
        )
        expect([status, body.message]).toEqual([400, 'Validation failed (uuid is expected)'])
      }
    },
  )

  it('that leads nowhere is 404 before any key is asked for, and names what was asked', async () => {
    const nowhere = await fetch(`${world.url}/api/v1/nope?x=1`)
    expect([nowhere.status, await nowhere.json()]).toEqual([404, { success: false, message: 'Cannot GET /api/v1/nope?x=1' }])
    const wrongMethod = await fetch(`${world.url}/api/v1/public/me`, { method: 'DELETE' })
    expect([wrongMethod.status, await wrongMethod.json()]).toEqual([404, { success: false, message: 'Cannot DELETE /api/v1/public/me' }])
  })

  it('with a broken escape is 400', async () => {
    const { status } = await fetch(`${world.url}/api/v1/public/profiles/%E0%A4%A`)
    expect(status).toBe(400)
  })
})
