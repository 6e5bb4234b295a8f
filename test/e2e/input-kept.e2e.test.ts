import type { Profile } from '@tidings/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { formOf, SHOP } from './support/forms.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

const FILE = `
features: [embedded_forms]
formOrigins: ["${SHOP}"]
customFields:
  - { key: spend, label: Spend, kind: number }
  - { key: born, label: Born, kind: date }
  - { key: gift, label: Gift, kind: boolean }
  - { key: code, label: Code, kind: text }
lists:
  - { name: Forty, type: dynamic, rule: { all: [{ field: customProperties.spend, op: gte, value: 40 }] } }`

const ID = '4634343214213523454'

let world: World
let acme: Client
beforeAll(async () => {
  world = await startWorld({ TIDINGS_RATE_LIMIT_DEFAULT: 'off', TIDINGS_RATE_LIMIT_FORMS: 'off' })
  acme = await world.workspace('acme', FILE)
})
afterAll(() => world.stop())

const said = async (method: string, path: string, body: unknown) => {
  const answer = await acme.request(method, path, body)
  return [answer.status, answer.body.message]
}
let made = 0
const newProfile = (changes: object = {}) => profilesOf(acme).create({ email: `a${made++}@example.com`, ...changes })

describe('a number that cannot be kept', () => {
  const refused = (place: string) => [400, `${place} is a number that cannot be kept exactly: send it as a text`]

  it('is refused by its name on every route that takes values', async () => {
    const { id } = await newProfile()
    const mail = { to: 'a@example.com', fromEmail: acme.fromEmail, contentMode: 'template', templateId: id }
    const attempts = [
      ['POST', '/public/profiles', `{"email":"b@example.com","customProperties":{"order":{"id":${ID}}}}`, 'customProperties.order.id'],
      ['PATCH', `/public/profiles/${id}`, `{"customProperties":{"ids":[1,${ID}]}}`, 'customProperties.ids.1'],
      ['POST', '/events/ingest', `{"event":"bought","email":"b@example.com","properties":{"orderId":${ID}}}`, 'properties.orderId'],
      ['POST', '/public/messages/email', `${JSON.stringify(mail).slice(0, -1)},"templateFields":{"n":-${ID}}}`, 'templateFields.n'],
    ] as const
    for (const [method, path, body, place] of attempts) expect(await said(method, path, body)).toEqual(refused(place))
  })

  it('is kept as a text, and the largest that a number can be as a number', async () => {
    const customProperties = { orderId: ID, max: Number.MAX_SAFE_INTEGER, min: -Number.MAX_SAFE_INTEGER, price: 0.1, huge: 1e300 }
    expect(await newProfile({ customProperties })).toMatchObject({ customProperties })
  })
})

it('a body may begin with a byte order mark', async () => {
  const answer = await acme.request('POST', '/public/profiles', `\ufeff${JSON.stringify({ email: 'bom@example.com' })}`)
  expect([answer.status, (answer.body.data as Profile).email]).toEqual([201, 'bom@example.com'])
})

describe('a time zone', () => {
  it.each(['GMT+3', 'Mars/Phobos', 'UTC+3', '+25:00', 'Asia/Jerusalem ', 'x'])('%j is refused', async (timezone) => {
    const { id, email } = await newProfile()
    const sentence = [400, 'timezone must be a valid IANA time-zone']
    expect(await said('POST', '/public/profiles', { email: 'c@example.com', timezone })).toEqual(sentence)
    expect(await said('PATCH', `/public/profiles/${id}`, { timezone })).toEqual(sentence)
    expect(await said('PATCH', '/public/profiles', { email, timezone })).toEqual(sentence)
    const form = await formOf(acme).subscribe({ email: 'c@example.com', fields: { timezone } })
    expect([form.status, form.body.message]).toEqual([400, 'fields.timezone must be a valid IANA time-zone'])
    await expect(world.workspace('zones', `timezone: "${timezone}"`)).rejects.toThrow(/is no time zone/)
  })

  it.each(['Asia/Jerusalem', 'america/new_york', 'Etc/GMT+3', '+05:30', 'UTC', ''])('%j is taken as it was written', async (timezone) => {
    expect(await newProfile({ timezone })).toMatchObject({ timezone })
  })
})

describe('a day that its month does not have', () => {
  it('is refused where a date is declared, and kept where none is', async () => {
    const { id, email } = await newProfile()
    const born = (value: string) => ({ customProperties: { born: value } })
    const sentence = [400, 'customProperties.born must be a valid ISO 8601 date string']
    for (const value of ['2027-02-30', '2027-02-30T10:00:00Z', '2027-13-01', '2027-02-29'])
      expect(await said('PATCH', `/public/profiles/${id}`, born(value))).toEqual(sentence)
    expect(await said('POST', '/public/profiles', { email: 'd@example.com', ...born('2027-02-30') })).toEqual(sentence)
    expect(await said('PATCH', '/public/profiles', { email, dateOfBirth: '1990-02-30' })).toEqual([
      400,
      'dateOfBirth must be a valid ISO 8601 date string',
    ])
    const form = await formOf(acme).subscribe({ email: 'd@example.com', fields: { born: '2027-02-30' } })
    expect([form.status, form.body.message]).toEqual([400, 'fields.born must be a valid ISO 8601 date string'])
    const kept = { born: '2028-02-29', code: '2027-02-30', other: '2027-02-30' }
    expect(await newProfile({ customProperties: kept })).toMatchObject({ customProperties: kept })
  })

  it('is refused as the time of an event and of a question', async () => {
    const sent = { event: 'order.completed', email: 'd@example.com', occurredAt: '2026-02-30T10:00:00Z' }
    expect((await acme.request('POST', '/events/ingest', sent)).status).toBe(400)
  })
})

describe('what a form sends for a declared number', () => {
  it('is one, so that rules find it, and stays a text where it is not exactly one', async () => {
    const sent = { spend: '42', gift: 'true', code: '42', other: '42' }
    const { body } = await formOf(acme).subscribe({ email: 'form@example.com', fields: sent })
    const id = String(body.data.contactId)
    expect((await profilesOf(acme).get(id)).customProperties).toEqual({ spend: 42, gift: true, code: '42', other: '42' })
    const members = async () => (await profilesOf(acme).list(`?segmentId=${acme.applied.lists.Forty}`)).items.map((one) => one.id)
    expect(await eventually(members, (found) => found.length > 0)).toEqual([id])
    for (const spend of ['042', '42 EUR', '+42', '4 2', ID, '0x2a', '']) {
      const again = await formOf(acme).subscribe({ email: `form${spend.length}@example.com`, fields: { spend } })
      expect((await profilesOf(acme).get(String(again.body.data.contactId))).customProperties).toEqual({ spend })
    }
  })

  it('is a text where JSON says that it is one', async () => {
    expect(await newProfile({ customProperties: { spend: '42' } })).toMatchObject({ customProperties: { spend: '42' } })
  })
})
