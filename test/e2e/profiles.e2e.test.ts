import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
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

describe('POST /public/profiles', () => {
  it('takes an empty body, and what was never set is null', async () => {
    const created = await profiles.create({})
    expect(created).toEqual({
      id: expect.stringMatching(UUID),
      email: null,
      phone: null,
      firstName: null,
      lastName: null,
      timezone: null,
      locale: null,
      emailConsent: 'never_subscribed',
      smsConsent: 'never_subscribed',
      pushConsent: 'never_subscribed',
      emailConsentTimestamp: null,
      smsConsentTimestamp: null,
      pushConsentTimestamp: null,
      emailValidationState: 'unknown',
      customProperties: {},
      tags: [],
      rfmTier: null,
      notes: null,
      emailSuppressed: false,
      smsSuppressed: false,
      createdAt: expect.stringMatching(TIME),
      updatedAt: expect.stringMatching(TIME),
    })
    expect(await profiles.get(created.id)).toEqual(created)
    expect(await profiles.get(created.id.toUpperCase())).toEqual(created)
  })

  it('keeps what was sent, with addresses in their one stored form', async () => {
    const sent = {
      firstName: ' Grace ',
      lastName: 'Hopper',
      timezone: 'America/New_York',
      locale: 'en-US',
      tags: ['b', 'a', 'b'],
      customProperties: { size: 's', deep: { list: [1, null, 'x'] } },
      notes: 'line one\nline two',
    }
    const created = await profiles.create({ ...sent, email: ' Grace@Example.COM ', phone: '050 123-45.67' })
    expect(created).toMatchObject({ ...sent, email: 'grace@example.com', phone: '+972501234567' })
  })

  it('refuses an email or phone that another profile has, and then keeps neither', async () => {
    await profiles.create({ email: 'one@conflict.example', phone: '+972502000001' })
    expect(outcome(await acme.request('POST', '/public/profiles', { email: 'ONE@conflict.example ' }))).toEqual(
      coded(409, 'contact_email_taken'),
    )
    const both = { email: 'two@conflict.example', phone: '050-2000001' }
    expect(outcome(await acme.request('POST', '/public/profiles', both))).toEqual(coded(409, 'contact_phone_taken'))
    expect((await profiles.create({ email: 'two@conflict.example' })).phone).toBeNull()
  })

  it('reads a null as not sent', async () => {
    const nothing = { email: null, phone: null, firstName: null, emailConsent: null, tags: null, customProperties: null, notes: null }
    expect(await profiles.create(nothing)).toMatchObject({ email: null, tags: [], customProperties: {}, emailConsent: 'never_subscribed' })
  })
})

describe('PUT /public/profiles', () => {
  it('creates, then matches by email in any case, and answers 200 both times', async () => {
    const created = await profiles.upsert({ email: 'put@example.com', firstName: 'A', tags: ['x'] })
    const matched = await profiles.upsert({ email: ' PUT@example.com', lastName: 'B' })
    expect(matched).toMatchObject({ id: created.id, firstName: 'A', lastName: 'B', tags: ['x'] })
  })

  it('matches by phone where the email is new, and gives the match the new email', async () => {
    const created = await profiles.upsert({ email: 'old@phone.example', phone: '+972503000001' })
    expect(await profiles.upsert({ email: 'new@phone.example', phone: '0503000001' })).toMatchObject({
      id: created.id,
      email: 'new@phone.example',
    })
    expect(outcome(await acme.request('GET', '/public/profiles/lookup?email=old@phone.example'))).toEqual(uncoded(404, 'Profile not found'))
  })

  it('prefers the match by email, and refuses a phone that somebody else has', async () => {
    await profiles.create({ email: 'by-email@example.com' })
    await profiles.create({ phone: '+972503000002' })
    const both = { email: 'by-email@example.com', phone: '+972503000002', firstName: 'Unknown' }
    expect(outcome(await acme.request('PUT', '/public/profiles', both))).toEqual(coded(409, 'contact_phone_taken'))
    expect((await profiles.lookup('by-email@example.com')).firstName).toBeNull()
  })

  it.each([{}, { firstName: 'A' }, { email: null, phone: null }])('needs an email or a phone: %j', async (body) => {
    expect(outcome(await acme.request('PUT', '/public/profiles', body))).toEqual(uncoded(400, 'email or phone is required'))
  })

  it('merges custom properties, deletes those that are null, and replaces tags', async () => {
    await profiles.upsert({ email: 'merge@example.com', tags: ['a', 'b'], customProperties: { keep: 1, drop: 2, deep: { a: 1 } } })
    const merged = await profiles.upsert({
      email: 'merge@example.com',
      tags: [],
      customProperties: { drop: null, deep: { b: 2 }, unknown: null },
    })
    expect(merged).toMatchObject({ tags: [], customProperties: { keep: 1, deep: { b: 2 } } })
    expect(Object.keys(merged.customProperties).sort()).toEqual(['deep', 'keep'])
  })
})

describe('PATCH', () => {
  it('by email changes whom it finds, and keeps what was not sent', async () => {
    const { id } = await profiles.create({ email: 'patch@example.com', firstName: 'A', notes: 'n' })
    expect(await profiles.patchByEmail({ email: ' Patch@Example.com ', lastName: 'B', notes: null })).toMatchObject({
      id,
      email: 'patch@example.com',
      firstName: 'A',
      lastName: 'B',
      notes: null,
    })
  })

  it('by email gives a new one only as newEmail, and frees the old one', async () => {
    const { id } = await profiles.create({ email: 'before@example.com' })
    expect(await profiles.patchByEmail({ email: 'before@example.com', newEmail: ' After@example.com' })).toMatchObject({
      id,
      email: 'after@example.com',
    })
    expect((await profiles.create({ email: 'before@example.com' })).id).not.toBe(id)
    const clash = { email: 'before@example.com', newEmail: 'after@example.com' }
    expect(outcome(await acme.request('PATCH', '/public/profiles', clash))).toEqual(coded(409, 'contact_email_taken'))
  })

  it('by email writes address-style fields among the custom properties', async () => {
    await profiles.create({ email: 'address@example.com', customProperties: { plan: 'pro' } })
    const address = {
      city: 'Haifa',
      country: 'IL',
      stateProvince: 'North',
      zip: '1',
      address1: 'a',
      address2: 'b',
      dateOfBirth: '1906-12-09',
      gender: 'f',
      jobTitle: 'admiral',
    }
    const patched = await profiles.patchByEmail({ email: 'address@example.com', ...address })
    expect(patched.customProperties).toEqual({ plan: 'pro', ...address })
  })

  it('by email says that it is unknown', async () => {
    for (const email of ['unknown@example.com', 'not an address']) {
      expect(outcome(await acme.request('PATCH', '/public/profiles', { email, firstName: 'A' }))).toEqual(uncoded(404, 'Profile not found'))
    }
  })

  it('by id has the field set of create: email and phone can change, and belong to one', async () => {
    const { id } = await profiles.create({ email: 'byid@example.com' })
    await profiles.create({ email: 'taken@example.com', phone: '+972504000001' })
    expect(await profiles.patch(id, { email: 'renamed@example.com', phone: '+15550100200', emailConsentSource: 'crm' })).toMatchObject({
      id,
      email: 'renamed@example.com',
      phone: '+15550100200',
    })
    expect(outcome(await acme.request('PATCH', `/public/profiles/${id}`, { email: 'taken@example.com' }))).toEqual(
      coded(409, 'contact_email_taken'),
    )
    expect(outcome(await acme.request('PATCH', `/public/profiles/${id}`, { phone: '050-4000001' }))).toEqual(
      coded(409, 'contact_phone_taken'),
    )
    expect(outcome(await acme.request('PATCH', `/public/profiles/${UNKNOWN}`, { firstName: 'A' }))).toEqual(
      uncoded(404, 'Profile not found'),
    )
  })

  it('that changes nothing appends nothing, and leaves updatedAt', async () => {
    const { id, updatedAt } = await profiles.create({ email: 'same@example.com', firstName: 'A', tags: ['t'], customProperties: { a: 1 } })
    const before = await world.stores.log.head()
    const same = { email: 'Same@example.com', firstName: 'A', tags: ['t'], customProperties: { a: 1, b: null } }
    expect((await profiles.patch(id, same)).updatedAt).toBe(updatedAt)
    expect((await profiles.patch(id, {})).updatedAt).toBe(updatedAt)
    expect(await world.stores.log.head()).toEqual(before)
  })
})
