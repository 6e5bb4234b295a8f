import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { SystemProjections } from '@tidings/contracts'
import { asWorkspaceId } from '@tidings/domain'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { committedDashboardOpenApi, type OpenApi, type Operation, operationsOf, parametersOf, type Schema } from '../contract/openapi.ts'
import { aim } from './support/aim.ts'
import { coded, dataOf, outcome, uncoded } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { type DoorThings, fileOfDoors, fillDoors, pathWith, ROLES } from './support/door-things.ts'
import { storedEvents } from './support/stored-log.ts'
import { call, newLink, newOperator, type Session, sessionOf } from './support/users.ts'
import { startWorld, type World } from './support/world.ts'

// Every route behind the door of the dashboard, as the service registers them: who may, and what is looked at first.

const RANKS: readonly string[] = [...ROLES, 'operator']
const PREFIX = '/api/v1/dashboard'
const served: string[] = []
const onApp = (message: unknown): void => {
  const { fastify } = message as Readonly<{ fastify: FastifyInstance }>
  fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
    if (url.startsWith(PREFIX)) served.push(...[method].flat().map((one) => `${one} ${url.replaceAll(/:(\w+)/g, '{$1}')}`))
  })
}

let world: World
let acme: Client
let sessions: Readonly<Record<(typeof ROLES)[number], Session>>
let stranger: Session
let operator: Session
let person: string
let things: DoorThings

/** Signs in by a link: no password is hashed. */
const signedIn = async (client: Client, email: string): Promise<Session> => {
  const token = await newLink(world.stores, client, email)
  return sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
}

beforeAll(async () => {
  subscribe('fastify.initialization', onApp)
  // An owner asks more than 600 times here, within a minute on a quick machine.
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_RATE_LIMIT_SESSION: 'off' })
  unsubscribe('fastify.initialization', onApp)
  acme = await world.workspace('doors', fileOfDoors('doors'))
  const other = await world.workspace('doors-2', fileOfDoors('doors-2'))
  const [member, admin, owner] = await Promise.all(ROLES.map((role) => signedIn(acme, `${role}@doors.example`)))
  if (!member || !admin || !owner) throw new Error('three were asked for')
  sessions = { member, admin, owner }
  stranger = await signedIn(other, 'owner@doors-2.example')
  const { token } = await newOperator(world.stores)
  operator = sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
  things = await fillDoors(world, { client: acme, member, admin })
  person = things.profiles ?? ''
})
afterAll(() => world?.stop())

const unauthenticated = uncoded(401, 'Authentication required')
const foreign = uncoded(403, 'Origin is not allowed')
const REFUSED = { admin: 'role_required', owner: 'owner_required', operator: 'operator_required' } as const

const document = committedDashboardOpenApi()
const bodyOf = (operation: Operation): unknown => {
  const { $ref = '' } = operation.requestBody?.content['application/json']?.schema ?? {}
  const schema: Schema | undefined = document.components.schemas[$ref.split('/').at(-1) ?? '']
  return schema?.examples?.[0]
}
/** With the id of nothing in place of each parameter. */
const NOTHING = '00000000-0000-7000-8000-00000000000f'
const table = operationsOf(document).map(({ name, method, path, operation }) => ({
  name,
  path,
  route: `${method} ${path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, NOTHING)}`,
  isRead: method === 'GET',
  role: operation['x-tidings-role'] ?? '',
  body: bodyOf(operation),
  query: parametersOf(document, operation)
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map((parameter) => `?${parameter.name}=1`)
    .join(''),
  types: Object.keys(operation.requestBody?.content ?? {}),
}))
const writes = table.filter(({ isRead }) => !isRead)
/** An operator acts on a thing of any workspace, and no other session comes to these routes. */
const ofThings = table.filter(({ path, role }) => path.includes('{') && role !== 'operator')
const nonsense = (route: string): string => `${route}${route.includes('?') ? '&' : '?'}nonsense=1`
const ask = (session: Session | null, route: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const body = route.startsWith('GET') ? {} : { body: { nonsense: true } }
  return session === null ? call(world.url, route, { ...body, headers }) : session.call(route, { ...body, headers })
}
const stored = async (): Promise<number> => (await storedEvents(world.stores.store)).length

describe('the doors', () => {
  it.runIf(aim() === 'embedded')('are all routes that the service has below the prefix', () => {
    const documented = [...table.map(({ name }) => name), `GET ${PREFIX}/openapi.json`]
    expect(served.filter((name) => !name.startsWith('HEAD ')).toSorted()).toEqual(documented.toSorted())
  })

  it('are those of the document, which a session reads', async () => {
    const get = (headers: Readonly<Record<string, string>>) => fetch(`${world.url}/api/v1/dashboard/openapi.json`, { headers })
    expect((await get({})).status).toBe(401)
    expect((await get({ 'X-Sender-Tenant': 'doors', 'X-API-Key': acme.key })).status).toBe(401)
    for (const { token } of [sessions.member, operator]) {
      const answer = await get({ Authorization: `Bearer ${token}` })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const read = (await answer.json()) as OpenApi
      const named = operationsOf(read).map(({ name, operation }): readonly [string, Operation['x-tidings-role']] => [
        name,
        operation['x-tidings-role'],
      ])
      expect(named).toEqual(table.map(({ name, role }) => [name, role]))
    }
  })

  it.each(table)('$name opens to a session alone', async ({ route }) => {
    for (const headers of [
      {},
      { 'X-Sender-Tenant': 'doors', 'X-API-Key': acme.key },
      { Authorization: `Bearer ${acme.key}` },
      { Cookie: `sender_session=${'A'.repeat(43)}`, Origin: world.url },
    ])
      expect(outcome(await ask(null, route, headers))).toEqual(unauthenticated)
  })

  it.each(table)('$name is closed to pages of others', async ({ route, isRead }) => {
    const cookie = { Cookie: `sender_session=${sessions.owner.token}` }
    const shows: readonly Readonly<Record<string, string>>[] = [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: world.url, 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      ...(isRead ? [] : [{}]),
    ]
    for (const headers of shows) expect(outcome(await ask(null, route, { ...cookie, ...headers }))).toEqual(foreign)
  })

  it.each(table)('$name is for $role and above, before its shape', async ({ route, role }) => {
    for (const [rank, name] of ROLES.entries()) {
      const answer = await ask(sessions[name], nonsense(route))
      if (rank < RANKS.indexOf(role)) expect(outcome(answer)).toEqual(coded(403, REFUSED[role as keyof typeof REFUSED] ?? ''))
      else expect([name, answer.status]).toEqual([name, 400])
    }
  })

  it.each(table)('$name is for an operator who names the workspace, and no other session names one', async ({ path, route, role }) => {
    const named = { 'X-Tidings-Workspace': 'doors' }
    const isOfNone = role === 'operator' || path.startsWith(`${PREFIX}/account`)
    if (!isOfNone) expect(outcome(await ask(operator, route))).toEqual(coded(400, 'workspace_required'))
    expect((await ask(operator, route, { 'X-Tidings-Workspace': 'no-such-one' })).status).toBe(404)
    const shape = await ask(operator, nonsense(route), named)
    expect([shape.status, shape.body.code]).not.toEqual([400, 'workspace_required'])
    expect(shape.status).toBe(400)
    expect(outcome(await ask(sessions.owner, route, named))).toEqual(coded(403, 'workspace_not_chosen'))
  })

  it.each(table)('$name looks for the session before the page that asks, and at the page before the role', async ({ route }) => {
    const evil = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
    expect(outcome(await ask(null, route, evil))).toEqual(unauthenticated)
    expect(outcome(await ask(sessions.member, route, evil))).toEqual(foreign)
  })

  it.each(writes)('$name takes no body but what it says, and looks at that first', async ({ route, types }) => {
    const [method = '', path = ''] = route.split(' ')
    const send = async (type: string, body: string) =>
      (await fetch(`${world.url}/api/v1${path}`, { method, headers: { 'Content-Type': type, Origin: 'https://evil.example' }, body }))
        .status
    // A preview is a form that is posted into a frame.
    const others = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].filter(
      (type) => !types.includes(type),
    )
    for (const type of others) expect([type, await send(type, '{"a":1}')]).toEqual([type, 400])
    expect(await send('application/json', '{')).toBe(400)
    expect(await send('application/json', '{}')).toBe(401)
  })

  it.each(ofThings)('$name leads a session to nothing of another workspace', async ({ name, path, query, body }) => {
    const before = await stored()
    const route = pathWith(things, path)
    const [method = ''] = name.split(' ')
    const answer = await stranger.call(`${method} ${route}${query}`, {
      ...(body === undefined ? {} : { body }),
      headers: { 'If-Match': `"${'0'.repeat(64)}"` },
    })
    expect([answer.status, answer.body.message]).toEqual([404, expect.stringMatching(/not found|no content/i)])
    expect(JSON.stringify(answer.body)).not.toMatch(/noa@|Hello|Spring/)
    expect(await stored()).toBe(before)
  })

  it('answer what the public routes answer, and say who wrote', async () => {
    const path = `/profiles/${person}`
    const own = dataOf<object>(await sessions.member.call(`GET /dashboard${path}`), 200)
    expect(own).toEqual(dataOf<object>(await acme.request('GET', `/public${path}`), 200))
    const changed = await sessions.member.call(`PATCH /dashboard${path}`, { body: { lastName: 'Levi' } })
    expect(dataOf<object>(changed, 200)).toMatchObject({ lastName: 'Levi' })
    const as = { 'X-Tidings-Workspace': 'doors' }
    expect((await operator.call(`PATCH /dashboard${path}`, { body: { lastName: 'Cohen' }, headers: as })).status).toBe(200)
    const events = await world.stores.log.readStream(
      asWorkspaceId(acme.applied.workspace.id),
      `contact-${acme.applied.workspace.id}-${person}`,
    )
    const actors = events.map(({ meta }) => meta.actor)
    expect(actors.slice(-2)).toEqual([
      `user:${acme.applied.users['member@doors.example']}`,
      expect.stringMatching(/^operator:[0-9a-f-]{36}$/),
    ])
  })

  it('take an Idempotency-Key of an operator who names no workspace, where none is acted on', async () => {
    const written = operationsOf(document).filter(({ operation }) =>
      parametersOf(document, operation).some(({ name }) => name === 'Idempotency-Key'),
    )
    const ofInstallation = table.filter(({ name, role }) => role === 'operator' && written.some((one) => one.name === name))
    const kept: string[] = []
    for (const { name, route, body } of ofInstallation) {
      const asked = () =>
        operator.call(route, {
          ...(body !== undefined && { body }),
          headers: { 'Idempotency-Key': `repeated ${name}`, 'If-Match': `"${'0'.repeat(64)}"` },
        })
      const first = await asked()
      if (first.body.code === 'workspace_required') continue
      const again = await asked()
      kept.push(name)
      // A secret that was shown is never stored.
      if (first.status === 201) expect([name, outcome(again)]).toEqual([name, coded(409, 'idempotency_key_reused')])
      else expect([name, again.status, again.headers.get('idempotent-replayed')]).toEqual([name, first.status, 'true'])
      if (first.status !== 201) expect(again.body).toEqual(first.body)
    }
    expect(kept.length).toBeGreaterThan(3)
    const [job] = dataOf<SystemProjections>(await operator.call('GET /dashboard/system/projections'), 200).items.flatMap(({ jobs }) => jobs)
    expect(job?.act).toBe('rebuild_beside')
  })

  it('lead a session to no list of another workspace', async () => {
    for (const collection of ['profiles', 'messages', 'lists?limit=1', 'campaigns', 'templates']) {
      const answer = await stranger.call(`GET /dashboard/${collection}`)
      expect(answer.status).toBe(200)
      expect(JSON.stringify(answer.body)).not.toContain(person)
    }
    expect(dataOf<Readonly<{ items: readonly unknown[] }>>(await stranger.call('GET /dashboard/profiles'), 200).items).toEqual([])
  })
})
