import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, user, userStream } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { committedDashboardOpenApi, type OpenApi, type Operation, operationsOf } from '../contract/openapi.ts'
import { coded, dataOf, outcome, uncoded } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { storedEvents } from './support/stored-log.ts'
import { call, newLink, newOperator, type Session, sessionOf } from './support/users.ts'
import { startWorld, type World } from './support/world.ts'

// One service for every route behind the door of the dashboard.

const PASSWORD = 'correct horse battery'
const ROLES = ['member', 'admin', 'owner'] as const
const LISTS = 'lists: [{ name: VIP, type: static }]'
const fileOf = (slug: string, roles: Readonly<Partial<Record<(typeof ROLES)[number], string>>> = {}): string => `users:
${ROLES.map((name) => `  - { email: ${name}@${slug}.example, password: ${PASSWORD}, role: ${roles[name] ?? name} }`).join('\n')}
${LISTS}
templates: [{ name: welcome, channel: email, subject: "Hi {{firstName|there}}", html: "<p>Hello {{firstName|there}}</p>", text: "Hello" }]`

let world: World
let acme: Client
let sessions: Readonly<Record<(typeof ROLES)[number], Session>>
let stranger: Session
let operator: Session
let person: string

/** Signs in by a link: no password is hashed. */
const signedIn = async (client: Client, email: string): Promise<Session> => {
  const token = await newLink(world.stores, client, email)
  return sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
}

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('doors', fileOf('doors'))
  const other = await world.workspace('doors-2', fileOf('doors-2'))
  const [member, admin, owner] = await Promise.all(ROLES.map((role) => signedIn(acme, `${role}@doors.example`)))
  if (!member || !admin || !owner) throw new Error('three were asked for')
  sessions = { member, admin, owner }
  stranger = await signedIn(other, 'owner@doors-2.example')
  operator = sessionOf(
    world.url,
    await call(world.url, 'POST /auth/link', { body: { token: (await newOperator(world.stores)).token } }),
    world.settle,
  )
  person = (await profilesOf(acme).create({ email: 'noa@doors.example', firstName: 'Noa' })).id
})
afterAll(() => world?.stop())

const unauthenticated = uncoded(401, 'Authentication required')
const foreign = uncoded(403, 'Origin is not allowed')
const REFUSED = { admin: 'role_required', owner: 'owner_required', operator: 'operator_required' } as const

/** The path with the id of nothing in place of each parameter. */
const NOTHING = '00000000-0000-7000-8000-00000000000f'
const routeOf = ({ method, path }: Readonly<{ method: string; path: string }>): string =>
  `${method} ${path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, NOTHING)}`
const table = operationsOf(committedDashboardOpenApi()).map(({ name, method, path, operation }) => ({
  name,
  route: routeOf({ method, path }),
  isRead: method === 'GET',
  role: operation['x-tidings-role'] ?? '',
}))
const ask = (session: Session | null, route: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const body = route.startsWith('GET') ? {} : { body: { nonsense: true } }
  return session === null ? call(world.url, route, { ...body, headers }) : session.call(route, { ...body, headers })
}
const stored = async (): Promise<number> => (await storedEvents(world.stores.store)).length

describe('the doors', () => {
  it('are those of the document, which a session reads', async () => {
    const get = (headers: Readonly<Record<string, string>>) => fetch(`${world.url}/api/v1/dashboard/openapi.json`, { headers })
    expect((await get({})).status).toBe(401)
    expect((await get({ 'X-Sender-Tenant': 'doors', 'X-API-Key': acme.key })).status).toBe(401)
    for (const { token } of [sessions.member, operator]) {
      const answer = await get({ Authorization: `Bearer ${token}` })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const document = (await answer.json()) as OpenApi
      const named = operationsOf(document).map(({ name, operation }): readonly [string, Operation['x-tidings-role']] => [
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
      const answer = await ask(sessions[name], `${route}${route.includes('?') ? '&' : '?'}nonsense=1`)
      const wanted = ['member', 'admin', 'owner', 'operator'].indexOf(role)
      if (rank < wanted) expect(outcome(answer)).toEqual(coded(403, REFUSED[role as keyof typeof REFUSED] ?? ''))
      else expect([name, answer.status]).toEqual([name, answer.status === 404 ? 404 : 400])
    }
    const unnamed = outcome(await ask(operator, route))
    if (role !== 'operator') expect(unnamed).toEqual(coded(400, 'workspace_required'))
    expect(outcome(await ask(sessions.owner, route, { 'X-Tidings-Workspace': 'doors' }))).toEqual(coded(403, 'workspace_not_chosen'))
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

  it('lead a session to nothing of another workspace', async () => {
    const before = await stored()
    for (const [route, id] of [
      ['GET /dashboard/profiles/:id', person],
      ['PATCH /dashboard/profiles/:id', person],
      ['GET /dashboard/templates/:id/merge-fields', acme.applied.templates.welcome],
      ['GET /dashboard/integrations/contacts/:id/consent', person],
      ['DELETE /dashboard/integrations/api-keys/:id', acme.applied.apiKeys[0]?.id],
      ['POST /dashboard/integrations/api-keys/:id/revoke', acme.applied.apiKeys[0]?.id],
    ] as const) {
      const body = route.startsWith('PATCH') ? { body: { lastName: 'Mine' } } : {}
      const answer = await stranger.call(route.replace(':id', id ?? ''), body)
      expect([route, answer.status]).toEqual([route, 404])
      expect(JSON.stringify(answer.body)).not.toContain('noa@')
    }
    const { items } = dataOf<Readonly<{ items: readonly unknown[] }>>(await stranger.call('GET /dashboard/profiles'), 200)
    expect(items).toEqual([])
    expect(await stored()).toBe(before)
  })

  it('take no body but JSON, and that before the session is looked for', async () => {
    const post = (type: string, body: string) =>
      fetch(`${world.url}/api/v1/dashboard/profiles`, { method: 'POST', headers: { 'Content-Type': type }, body })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      expect((await post(type, '{"email":"x@example.com"}')).status).toBe(400)
    expect((await post('application/json', '{')).status).toBe(400)
    expect((await post('application/json', '{}')).status).toBe(401)
  })
})

describe('a session between two requests', () => {
  it('has the role that the log says now, whatever it had', async () => {
    const client = await world.workspace('lowered', fileOf('lowered'))
    const session = await signedIn(client, 'admin@lowered.example')
    const webhooks = 'GET /dashboard/webhooks'
    expect((await session.call(webhooks)).status).toBe(200)
    await world.workspace('lowered', fileOf('lowered', { admin: 'member' }))
    expect(outcome(await session.call(webhooks))).toEqual(coded(403, 'role_required'))
    expect((await session.call('GET /dashboard/lists')).status).toBe(200)
    await world.workspace('lowered', fileOf('lowered', { admin: 'owner' }))
    expect((await session.call(webhooks)).status).toBe(200)
  })

  it('ends with the removal of its user, and its links with it', async () => {
    const client = await world.workspace('removed', fileOf('removed'))
    const email = 'member@removed.example'
    const [session, token] = [await signedIn(client, email), await newLink(world.stores, client, email)]
    expect((await session.call('GET /dashboard/lists')).status).toBe(200)
    const [workspaceId, userId] = [asWorkspaceId(client.applied.workspace.id), client.applied.users[email] ?? '']
    await createCommandRunner({ log: world.stores.log }).execute({
      decider: user,
      stream: userStream(workspaceId, userId),
      command: { type: 'RemoveUser', data: { userId } },
      context: { commandId: crypto.randomUUID(), workspaceId, actor: 'operator', requestId: 'test', at: new Date().toISOString() },
    })
    expect(outcome(await session.call('GET /dashboard/lists'))).toEqual(unauthenticated)
    expect((await call(world.url, 'POST /auth/link', { body: { token } })).status).toBe(401)
  })
})
