import { randomUUID } from 'node:crypto'
import type { EventIngested, EventItem, Page } from '@tidings/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { storedEvents } from './support/stored-log.ts'
import { withinOneMinute } from './support/within-one-minute.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client
let other: Client

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme')
  other = await world.workspace('other')
})
afterAll(() => world.stop())

const report = (body: unknown, { client = acme, headers = {} }: Readonly<{ client?: Client; headers?: Record<string, string> }> = {}) =>
  client.request('POST', '/events/ingest', body, headers)
const ingest = async (body: unknown, of?: Parameters<typeof report>[1]) => dataOf<EventIngested>(await report(body, of), 200)
const ok = (contactId: string, created = false): EventIngested => ({ status: 'ok', enrolled: 0, contactId, created })
const noContact: EventIngested = { status: 'no_contact', enrolled: 0, contactId: null, created: false }
let people = 0
const person = async (more: object = {}) => await profilesOf(acme).create({ email: `person-${++people}@ingest.example`, ...more })
const facts = async (contactId: string) => {
  const sql = 'select event, count::int, last_at from read.activity_facts where contact_id = $1 order by event'
  return (await world.stores.pool.query(sql, [contactId])).rows
}

describe('an event is that of', () => {
  it('the contact with the id, whatever address comes with it', async () => {
    const [ann, bob] = [await person(), await person()]
    expect(await ingest({ event: 'viewed', contactId: ann.id.toUpperCase(), email: bob.email })).toEqual(ok(ann.id))
    expect(await facts(ann.id)).toMatchObject([{ event: 'viewed', count: 1 }])
    expect(await facts(bob.id)).toEqual([])
  })

  it('the contact with the email, where the id is unknown', async () => {
    const ann = await person()
    expect(await ingest({ event: 'viewed', contactId: randomUUID(), email: ` ${ann.email?.toUpperCase()} ` })).toEqual(ok(ann.id))
  })

  it('the contact with the email, though another has the phone', async () => {
    const [ann] = [await person(), await person({ phone: '+972501110001' })]
    expect(await ingest({ event: 'viewed', email: ann.email, phone: '+972501110001' })).toEqual(ok(ann.id))
  })

  it('the contact with the phone, as it may be written, and does not change that contact', async () => {
    const ann = await person({ phone: '+972501110002', firstName: 'Ann' })
    const body = { event: 'viewed', email: 'unknown@ingest.example', phone: '050-111 0002', firstName: 'Eve' }
    expect(await ingest(body)).toEqual(ok(ann.id))
    expect(await profilesOf(acme).get(ann.id)).toEqual(ann)
  })

  it('a new contact where none matches, with its names and both addresses', async () => {
    const body = { event: 'viewed', email: 'New@Ingest.Example', phone: '+972501110003', firstName: 'Nell', lastName: null }
    const { contactId, ...answer } = await ingest(body)
    expect(answer).toEqual({ status: 'ok', enrolled: 0, created: true })
    expect(await profilesOf(acme).get(contactId ?? '')).toMatchObject({
      email: 'new@ingest.example',
      phone: '+972501110003',
      firstName: 'Nell',
      lastName: null,
      emailConsent: 'never_subscribed',
    })
    expect(await facts(contactId ?? '')).toMatchObject([{ event: 'viewed', count: 1 }])
  })

  it('no contact without an address', async () => {
    expect(await ingest({ event: 'viewed' })).toEqual(noContact)
    expect(await ingest({ event: 'viewed', contactId: randomUUID(), firstName: 'Nell' })).toEqual(noContact)
  })

  it('no contact of another workspace', async () => {
    const ann = await person()
    expect(await ingest({ event: 'viewed', contactId: ann.id }, { client: other })).toEqual(noContact)
    const { contactId } = await ingest({ event: 'viewed', email: ann.email }, { client: other })
    expect(contactId).not.toBe(ann.id)
    expect(await facts(ann.id)).toEqual([])
  })
})

describe('an event counts once a minute', () => {
  it('of one contact and name, whatever its properties are', () =>
    withinOneMinute(async () => {
      const ann = await person()
      await ingest({ event: 'paid', contactId: ann.id, properties: { total: 1 } })
      expect(await ingest({ event: 'paid', email: ann.email, properties: { total: 2 } })).toEqual(ok(ann.id))
      await ingest({ event: 'Paid', contactId: ann.id })
      expect(await facts(ann.id)).toMatchObject([
        { event: 'Paid', count: 1 },
        { event: 'paid', count: 1 },
      ])
    }))

  it('though a hundred equal requests come at once, which create one contact', () =>
    withinOneMinute(async () => {
      const body = { event: 'paid', email: `crowd-${++people}@ingest.example`, firstName: 'Crowd' }
      const answers = await Promise.all(Array.from({ length: 100 }, () => ingest(body)))
      const ids = new Set(answers.map(({ contactId }) => contactId))
      expect(ids.size).toBe(1)
      expect(answers.filter(({ created }) => created)).toHaveLength(1)
      const [contactId] = ids
      expect(await facts(contactId ?? '')).toMatchObject([{ event: 'paid', count: 1 }])
    }))

  it('and a repeated request with its Idempotency-Key answers as the first did', async () => {
    const of = { headers: { 'Idempotency-Key': 'ingest-1' } }
    const body = { event: 'paid', email: 'repeated@ingest.example' }
    const first = await ingest(body, of)
    expect(first.created).toBe(true)
    expect(await ingest(body, of)).toEqual(first)
  })
})

describe('nothing is written, and one sentence says why, of', () => {
  const email = 'refused@ingest.example'
  const long = 'x'.repeat(129)
  const refusals: readonly (readonly [string, unknown, object])[] = [
    ['no event', { email }, uncoded(400, 'event must be a string')],
    ['an empty event', { event: '', email }, uncoded(400, 'event should not be empty')],
    ['a long event', { event: long, email }, uncoded(400, 'event must be shorter than or equal to 128 characters')],
    ['a built-in event', { event: 'order.completed', email }, uncoded(400, 'event is a reserved name')],
    ['an unknown property', { event: 'e', email, occurredAt: 'x' }, uncoded(400, 'property occurredAt should not exist')],
    ['a wrong id', { event: 'e', email, contactId: 'me' }, uncoded(400, 'contactId must be a UUID')],
    ['a wrong email', { event: 'e', email: 'me' }, uncoded(400, 'email must be an email')],
    ['a wrong phone', { event: 'e', email, phone: '12' }, coded(400, 'invalid_phone')],
    ['properties that are no object', { event: 'e', email, properties: [] }, uncoded(400, 'properties must be an object')],
    [
      'properties beyond 8 192 bytes',
      { event: 'e', email, properties: { a: 'ש'.repeat(4_093) } },
      uncoded(400, 'properties must not exceed 8192 bytes'),
    ],
    ['a NUL character', '{"event":"a\\u0000b","email":"refused@ingest.example"}', uncoded(400, 'Request contains invalid characters')],
    ['a name that is too long', { event: 'e', email, firstName: 'x'.repeat(256) }, uncoded(400, expect.any(String) as never)],
  ]
  it.each(refusals)('%s', async (_, body, refusal) => {
    expect(outcome(await report(body))).toEqual(refusal)
    expect((await acme.request('GET', `/public/profiles/lookup?email=${email}`)).status).toBe(404)
  })

  it('a workspace that is not active', async () => {
    const closed = await world.workspace('ingest-held')
    await world.operate(closed.applied.workspace.id, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
    expect(outcome(await report({ event: 'e', email }, { client: closed }))).toEqual(uncoded(403, 'Workspace is not active'))
  })
})

describe('properties', () => {
  it('are taken up to 8 192 bytes, with any JSON in them', async () => {
    const nested = { list: [1, null, { deep: [true] }], constructor: 'ordinary' }
    const text = 'x'.repeat(8_192 - Buffer.byteLength(JSON.stringify({ nested, text: '' })))
    expect(await ingest({ event: 'large', contactId: (await person()).id, properties: { nested, text } })).toMatchObject({ status: 'ok' })
  })

  it('never stand in the log in clear', async () => {
    const ann = await person()
    await ingest({ event: 'sealed', contactId: ann.id, properties: { street: 'Zeppelinstrasse', 'zoe@example.com': 1 } })
    const stored = (await storedEvents(world.stores.store)).filter(({ type }) => type === 'ActivityRecorded')
    const texts = stored.map((event) => JSON.stringify(event.data))
    expect(texts.some((text) => text.includes('street'))).toBe(true)
    for (const text of texts) expect(text).not.toMatch(/Zeppelin|zoe@/)
  })
})

describe('the catalogue', () => {
  const custom = async (client: Client) =>
    dataOf<Page<EventItem>>(await client.request('GET', '/public/events?offset=29&limit=100'), 200).items

  it('shows what was observed with its properties, beside what is declared, and nothing that is retired', async () => {
    const client = await world.workspace(
      'catalogue',
      `customEvents:
  - { name: order_placed, label: Order placed, properties: [orderId] }
  - { name: old, retired: true }`,
    )
    const email = 'cat@ingest.example'
    await ingest({ event: 'order_placed', email, properties: { total: 1, orderId: '7' } }, { client })
    await ingest({ event: 'viewed', email, properties: { sku: 'A' } }, { client })
    await ingest({ event: 'viewed', email: 'dog@ingest.example', properties: { color: 'red', sku: 'B' } }, { client })
    expect(await ingest({ event: 'old', email }, { client })).toMatchObject({ status: 'ok' })
    expect(await custom(client)).toEqual([
      { value: 'order_placed', label: 'Order placed', kind: 'custom_event', properties: ['orderId', 'total'] },
      { value: 'viewed', label: 'viewed', kind: 'custom_event', properties: ['sku', 'color'] },
    ])
    expect(await custom(other)).not.toEqual(expect.arrayContaining([expect.objectContaining({ value: 'order_placed' })]))
  })
})
