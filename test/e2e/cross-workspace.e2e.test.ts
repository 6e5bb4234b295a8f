import { asApiKeyId, byOperator } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Attempt, attempts, type KnownIds } from './cross-workspace.attempts.ts'
import { dataOf, outcome, uncoded } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { untilSettled } from './support/list-members.ts'
import { outboxOf } from './support/outbox.ts'
import { codeIn, lastTo, passcodesOf } from './support/passcodes.ts'
import { profilesOf } from './support/profiles.ts'
import { routesSecuredBy } from './support/routes.ts'
import { storedEvents } from './support/stored-log.ts'
import { startWorld, type World } from './support/world.ts'

/** Stands in everything of the other workspace that has a text. */
const SECRET = 'Zanzibar'
const TEMPLATES = `
credits: 1
templates:
  - { name: ${SECRET}, channel: email, subject: "${SECRET}", html: "<p>${SECRET}</p>" }
  - { name: ${SECRET} SMS, channel: sms, body: "${SECRET}" }
lists: [{ name: ${SECRET}, type: static }]
tags: [{ name: ${SECRET} }]
customFields: [{ key: ${SECRET}, label: ${SECRET}, kind: text }]
smsSenderIds: [{ id: ${SECRET}, status: approved }]
customEvents: [{ name: ${SECRET} }]
campaigns: [{ name: ${SECRET}, channel: email, list: ${SECRET}, tags: [${SECRET}], template: ${SECRET} }]`

/** Nothing of mine has a name of theirs. */
const MINE = `
credits: 100
smsSenderIds: [{ id: MINE, status: approved }]`

let world: World
let mine: Client
let theirs: Client
/** Records of the other workspace. */
let their: KnownIds

beforeAll(async () => {
  world = await startWorld()
  mine = await world.workspace('mine', MINE)
  theirs = await world.workspace('theirs', TEMPLATES)
  const point = { email: `${SECRET.toLowerCase()}@theirs.example`, phone: '+972501000001' }
  const { id: contactId } = await profilesOf(theirs).create({ ...point, firstName: SECRET, customProperties: { secret: SECRET } })
  const messageId = await theirs.send(point.email, { subject: SECRET })
  await theirs.messageWith(messageId, 'sent')
  await theirs.request('POST', `/public/lists/${theirs.applied.lists[SECRET]}/members`, { contactIds: [contactId] })
  const hook = { url: `https://8.8.8.8/${SECRET}`, events: ['never.fired'], label: SECRET }
  const { id: webhookId } = dataOf<{ id: string }>(await theirs.request('POST', '/public/webhooks', hook), 201)
  const { verificationId } = await passcodesOf(theirs).send(point.phone)
  their = {
    ...point,
    verificationId,
    code: codeIn((await lastTo(world, 'sms', point.phone)).body),
    contactId,
    messageId,
    templateId: theirs.applied.templates[SECRET] ?? '',
    listId: theirs.applied.lists[SECRET] ?? '',
    tagId: theirs.applied.tags[SECRET] ?? '',
    webhookId,
    sender: theirs.fromEmail,
    mySender: mine.fromEmail,
    smsSender: SECRET,
    mySmsSender: 'MINE',
    smsTemplateId: theirs.applied.templates[`${SECRET} SMS`] ?? '',
  }
  await untilSettled(world.stores, theirs.applied.workspace.id)
})
afterAll(() => world.stop())

type CallOptions = Readonly<{ client: Client; headers?: Readonly<Record<string, string>> }>

const ask = ({ client, headers }: CallOptions, route: string, { path, body }: Attempt): Promise<Answer> =>
  client.request(route.split(' ')[0] ?? '', path(their), body?.(their), headers)

const all = Object.entries(attempts).flatMap(([route, ofRoute]) => ofRoute.map((attempt) => ({ route, attempt })))

/** Everything that is stored about the other workspace, byte for byte. */
const everythingOfTheirs = async (): Promise<readonly string[]> => {
  const { pool, store } = world.stores
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns
     where table_schema in ('es', 'read', 'outbox') and column_name = 'workspace_id' order by 1`,
  )
  const dumps = tables.map(({ name }) =>
    pool.query(`select t::text as row from ${name} t where workspace_id = $1 order by 1`, [theirs.applied.workspace.id]),
  )
  const events = (await storedEvents(store)).filter(({ stream }) => stream.includes(`-${theirs.applied.workspace.id}`))
  return [...(await Promise.all(dumps)).flatMap(({ rows }) => rows.map(({ row }) => row)), ...events.map(({ id }) => id)]
}

it('every route that needs a key is tried here', async () => {
  expect(await routesSecuredBy(world.url, 'key')).toEqual(Object.keys(attempts).sort())
})

describe('a key of another workspace', () => {
  it.each(all)('neither reads nor writes: $route', async ({ route, attempt }) => {
    const before = await everythingOfTheirs()
    const answer = await ask({ client: mine }, route, attempt)
    expect(outcome(answer)).toMatchObject(attempt.expected)
    // What the caller said themselves may come back; nothing else that names the other workspace does.
    const said = `${attempt.path(their)}${JSON.stringify(attempt.body?.(their) ?? {})}`
    const received = JSON.stringify(answer.body)
    for (const secret of [
      SECRET,
      their.contactId,
      their.messageId,
      their.templateId,
      their.listId,
      their.webhookId,
      theirs.applied.workspace.id,
    ])
      if (!said.includes(secret)) expect(received).not.toContain(secret)
    expect(await everythingOfTheirs()).toEqual(before)
  })

  it.each(all)('is no key there: $route', async ({ route, attempt }) => {
    for (const tenant of ['theirs', theirs.applied.workspace.id]) {
      const answer = await ask({ client: mine, headers: { 'X-Sender-Tenant': tenant } }, route, attempt)
      expect(outcome(answer)).toEqual(uncoded(401, 'Invalid API key'))
    }
  })

  it('sees only its own lists, with totals of its own', async () => {
    await profilesOf(mine).upsert({ email: their.email, notes: 'mine' })
    const total = async (path: string) => ((await mine.request('GET', path)).body.data as { total: number }).total
    // The text message of an attempt above, to a contact of mine.
    expect(await total('/public/messages')).toBe(1)
    expect(await total('/public/templates')).toBe(0)
    expect(await total('/public/sender-addresses')).toBe(1)
    expect(await total('/public/lists')).toBe(0)
    expect(await total('/public/sms-sender-ids')).toBe(1)
    for (const path of ['/public/custom-fields', '/public/campaigns']) expect(await total(path)).toBe(0)
    expect(await total(`/public/campaigns?tagIds=${their.tagId}`)).toBe(0)
    // This includes the event that the attempt at ingest reported.
    expect(await total('/public/events')).toBe(30)
    expect(await total(`/public/profiles?segmentId=${their.listId}`)).toBe(0)
    expect(await total(`/public/profiles?search=${SECRET}`)).toBe(1)
    const { items } = await profilesOf(mine).list(`?search=${SECRET}`)
    expect(items[0]).toMatchObject({ email: their.email, firstName: null, notes: 'mine' })
  })

  it('reaches no message of another workspace by address: both workspaces may know one person', async () => {
    const id = await mine.send(their.email)
    await mine.messageWith(id, 'sent')
    expect(outcome(await theirs.request('GET', `/public/messages/${id}`))).toEqual(uncoded(404, 'Message not found'))
    expect(await outboxOf(world).of(id)).toMatchObject({ to: their.email, from: `Hello <${mine.fromEmail}>` })
  })
})

describe('the header pair', () => {
  it('names the workspace by slug or by id, in any case', async () => {
    const { id } = mine.applied.workspace
    for (const tenant of ['mine', id, id.toUpperCase()]) {
      const { body } = await mine.request('GET', '/public/me', undefined, { 'X-Sender-Tenant': tenant })
      expect(body.data).toEqual({ tenant: { id, slug: 'mine', name: 'mine', plan: 'free', status: 'active' }, apiVersion: '2026-01' })
    }
  })

  it.each(all)('is needed, and must fit: $route', async ({ route, attempt }) => {
    const asked = async (headers: Readonly<Record<string, string>>) => outcome(await ask({ client: mine, headers }, route, attempt))
    expect(await asked({ 'X-API-Key': '' })).toEqual(uncoded(401, 'Missing tenant or API key'))
    expect(await asked({ 'X-Sender-Tenant': '' })).toEqual(uncoded(401, 'Missing tenant or API key'))
    expect(await asked({ 'X-API-Key': mine.key.slice(0, -1) })).toEqual(uncoded(401, 'Invalid API key'))
    const unknown = route === 'GET /public/me' ? uncoded(404, 'Workspace not found') : uncoded(401, 'Invalid API key')
    expect(await asked({ 'X-Sender-Tenant': 'unknown' })).toEqual(unknown)
    expect(await asked({ 'X-Sender-Tenant': 'No Body' })).toEqual(unknown)
  })
})

describe('a suspended workspace', () => {
  let suspended: Client

  beforeAll(async () => {
    suspended = await world.workspace('suspended')
    await world.operate(suspended.applied.workspace.id, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
  })

  it.each(all.filter(({ route }) => route !== 'GET /public/me'))('is refused, key and all: $route', async ({ route, attempt }) => {
    expect(outcome(await ask({ client: suspended }, route, attempt))).toEqual(uncoded(403, 'Workspace is not active'))
  })

  it('may still ask who it is, and works again when it is resumed', async () => {
    const me = async () => (await suspended.request('GET', '/public/me')).body.data as { tenant: { status: string } }
    expect((await me()).tenant.status).toBe('suspended')
    await world.operate(suspended.applied.workspace.id, { type: 'ChangeWorkspaceStatus', data: { status: 'active' } })
    expect((await me()).tenant.status).toBe('active')
    expect((await suspended.request('GET', '/public/profiles')).status).toBe(200)
  })
})

it('a revoked key is refused at once, and its neighbours are not', async () => {
  const client = await world.workspace('rotating')
  const id = client.applied.apiKeys[0]?.id ?? ''
  expect((await client.request('GET', '/public/me')).status).toBe(200)
  await world.operate(client.applied.workspace.id, { type: 'RevokeApiKey', data: { ...byOperator, keyId: asApiKeyId(id) } })
  expect(outcome(await client.request('GET', '/public/me'))).toEqual(uncoded(401, 'Invalid API key'))
  expect(outcome(await client.request('PUT', '/public/profiles', { email: 'a@b.example' }))).toEqual(uncoded(401, 'Invalid API key'))
  expect((await mine.request('GET', '/public/me')).status).toBe(200)
})
