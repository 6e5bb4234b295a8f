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

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme', 'credits: 10\nsmsSenderIds: [{ id: ACME, status: approved }]\nlists: [{ name: VIP, type: static }]')
  contactId = (await profilesOf(acme).create({ email: 'ada@example.com' })).id
})
afterAll(() => world.stop())

beforeEach(async () => {
  before = await world.stores.log.head()
})
afterEach(async () => {
  expect(await world.stores.log.head()).toEqual(before)
})

const membersPath = () => `/public/lists/${acme.applied.lists.VIP}/members`

/** Every route that writes, with a body that it would take. */
const routes = [
  { method: 'POST', name: '/public/profiles', path: () => '/public/profiles', valid: () => ({ email: 'new@example.com' }) },
  { method: 'PUT', name: '/public/profiles', path: () => '/public/profiles', valid: () => ({ email: 'new@example.com' }) },
  {
    method: 'PATCH',
    name: '/public/profiles',
    path: () => '/public/profiles',
    valid: () => ({ email: 'ada@example.com', firstName: 'A' }),
  },
  { method: 'PATCH', name: '/public/profiles/{id}', path: () => `/public/profiles/${contactId}`, valid: () => ({ firstName: 'A' }) },
  {
    method: 'POST',
    name: '/public/profiles/blacklist',
    path: () => '/public/profiles/blacklist',
    valid: () => ({ contactId, channel: 'both' }),
  },
  {
    method: 'DELETE',
    name: '/public/profiles/blacklist',
    path: () => '/public/profiles/blacklist',
    valid: () => ({ contactId, channel: 'both' }),
  },
  {
    method: 'POST',
    name: '/public/messages/email',
    path: () => '/public/messages/email',
    valid: () => ({ to: 'new@example.com', fromEmail: acme.fromEmail, subject: 's', html: 'h' }),
  },
  {
    method: 'POST',
    name: '/public/messages/sms',
    path: () => '/public/messages/sms',
    valid: () => ({ to: '+972501119999', senderId: 'ACME', body: 'b' }),
  },
  { method: 'POST', name: '/public/tags', path: () => '/public/tags', valid: () => ({ name: 'new' }) },
  { method: 'POST', name: '/public/lists/{id}/members', path: membersPath, valid: () => ({ emails: ['new@example.com'] }) },
  { method: 'DELETE', name: '/public/lists/{id}/members', path: membersPath, valid: () => ({ email: 'new@example.com' }) },
] as const

const JSON_TYPE = 'application/json'
const invalid = 'Request contains invalid characters'
const notJson = 'Request body is not valid JSON'

describe.each(routes)('$method $name', ({ method, path, valid }) => {
  const ask = async (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    outcome(await acme.request(method, path(), body, headers))

  it('names the first property that should not exist, whatever else is wrong', async () => {
    expect(await ask({ ...valid(), zeta: 1, alpha: 2 })).toEqual(uncoded(400, 'property zeta should not exist'))
    expect(await ask({ constructor: 1 })).toEqual(uncoded(400, 'property constructor should not exist'))
  })

  it.each([
    ['{"email":', notJson],
    ['nonsense', notJson],
    ['"text"', notJson],
    ['null', notJson],
    ['7', notJson],
    ['{"a":1}}', notJson],
    ['[]', 'Validation failed (object is expected)'],
    ['[{"email":"new@example.com"}]', 'Validation failed (object is expected)'],
    ['{"__proto__":{"email":"new@example.com"}}', 'property __proto__ should not exist'],
    ['{"customProperties":{"__proto__":{"a":1}}}', 'property __proto__ should not exist'],
    ['{"firstName":"a\\u0000b"}', invalid],
    ['{"firstName":"\\ud800"}', invalid],
    ['{"firstName":"\\udc00\\ud800"}', invalid],
    ['{"customProperties":{"deep":[{"\\u0000":1}]}}', invalid],
    ['{"unwanted\\u0000":1}', invalid],
  ])('refuses %s', async (body, message) => {
    expect(await ask(body)).toEqual(uncoded(400, message))
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', 'application/jsonp'])(
    'takes no %s',
    async (type) => {
      expect(await ask(JSON.stringify(valid()), { 'Content-Type': type })).toEqual(uncoded(400, 'Content-Type must be application/json'))
    },
  )

  it('takes no query and no compressed body', async () => {
    const query = await acme.request(method, `${path()}?dryRun=true`, valid())
    expect(outcome(query)).toEqual(uncoded(400, 'property dryRun should not exist'))
    expect(await ask(JSON.stringify(valid()), { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'gzip' })).toEqual(
      uncoded(400, 'Content-Encoding is not supported'),
    )
  })

  it('answers more than 8 MiB with 413, as text', async () => {
    const { status, headers, body } = await acme.request(method, path(), JSON.stringify({ html: 'x'.repeat(8 * 1024 * 1024) }))
    expect([status, body.message]).toEqual([413, 'Payload Too Large'])
    expect(headers.get('content-type')).toContain('text/plain')
    expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  })
})

it('a query of the development outbox that no text can hold is refused', async () => {
  expect((await fetch(`${world.url}/dev/outbox?to=%00`)).status).toBe(400)
})
