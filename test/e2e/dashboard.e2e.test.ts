import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, user, userStream } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { committedDashboardOpenApi, type OpenApi, type Operation, operationsOf } from '../contract/openapi.ts'
import { templateCases } from './dashboard/templates.cases.ts'
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
    const client = await world.workspace('doors-low', fileOf('doors-low'))
    const session = await signedIn(client, 'admin@doors-low.example')
    const webhooks = 'GET /dashboard/webhooks'
    expect((await session.call(webhooks)).status).toBe(200)
    await world.workspace('doors-low', fileOf('doors-low', { admin: 'member' }))
    expect(outcome(await session.call(webhooks))).toEqual(coded(403, 'role_required'))
    expect((await session.call('GET /dashboard/lists')).status).toBe(200)
    await world.workspace('doors-low', fileOf('doors-low', { admin: 'owner' }))
    expect((await session.call(webhooks)).status).toBe(200)
  })

  it('ends with the removal of its user, and its links with it', async () => {
    const client = await world.workspace('doors-gone', fileOf('doors-gone'))
    const email = 'member@doors-gone.example'
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

describe('messages', () => {
  type FoundPage = Readonly<{
    items: readonly Readonly<{ id: string; contactId: string | null; channel: string }>[]
    has_more: boolean
    next_cursor: string | null
  }>
  const search = async (query: string, session = sessions.member) =>
    dataOf<FoundPage>(await session.call(`GET /dashboard/messages?${query}`), 200)
  const MAIL = '<h1>Hi</h1><script>alert(1)</script><img src="https://evil.example/x.png">'
  const sent: string[] = []
  beforeAll(async () => {
    for (let n = 0; n < 3; n++) sent.push(await acme.send(`person-${n}@doors.example`, { subject: 'Hi', html: MAIL, text: 'Hi as text' }))
  })

  it('are found newest first, page by page, by channel, status and period', async () => {
    const all: string[] = []
    let after = ''
    do {
      const page = await search(`channel=email&limit=2${after}`)
      expect(page.items.length).toBeLessThanOrEqual(2)
      all.push(...page.items.map(({ id }) => id))
      after = page.next_cursor === null ? '' : `&after=${page.next_cursor}`
    } while (after !== '')
    expect(all).toEqual(sent.toReversed())
    expect(new Set(all).size).toBe(all.length)
    expect((await search('channel=sms')).items).toEqual([])
    expect((await search('status=complained')).items).toEqual([])
    expect((await search('to=2020-01-01')).items).toEqual([])
    expect((await search('from=2020-01-01')).items).toHaveLength(3)
    expect((await search('', stranger)).items).toEqual([])
    for (const wrong of ['after=nonsense', 'from=yesterday', 'status=lost', 'limit=101'])
      expect((await sessions.member.call(`GET /dashboard/messages?${wrong}`)).status).toBe(400)
  })

  it('say why, for their own workspace alone', async () => {
    const story = dataOf<{ message: { id: string }; facts: readonly { says: string; position: string }[] }>(
      await sessions.member.call(`GET /dashboard/messages/${sent[0]}/why`),
      200,
    )
    expect(story.message.id).toBe(sent[0])
    expect(story.facts.length).toBeGreaterThan(1)
    for (const route of [`GET /dashboard/messages/${sent[0]}/why`, `GET /dashboard/messages/${sent[0]}/content`])
      expect(outcome(await stranger.call(route))).toEqual(uncoded(404, 'Message not found'))
  })

  it('show their content in a frame that runs nothing and asks for nothing', async () => {
    const get = (query = '', headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${world.url}/api/v1/dashboard/messages/${sent[0]}/content${query}`, {
        headers: { Authorization: `Bearer ${sessions.member.token}`, ...headers },
      })
    const answer = await get()
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;/)
    expect(answer.headers.get('content-security-policy')).not.toMatch(/script|https/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).toBe(MAIL)
    expect((await get('?images=https')).headers.get('content-security-policy')).toContain('img-src data: https:;')
    const text = await get('?part=text')
    expect([text.headers.get('content-type'), await text.text()]).toEqual(['text/plain; charset=utf-8', 'Hi as text'])
    expect((await get('', { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect((await get('?images=http')).status).toBe(400)
  })
})

describe('people', () => {
  type Listed = Readonly<{ items: readonly Readonly<{ id: string; email: string; role: string }>[] }>
  type Invited = Readonly<{ id: string; link: Readonly<{ url: string; expiresAt: string }> }>
  let team: Client
  let owner: Session
  const idOf = (name: string) => team.applied.users[`${name}@doors-team.example`] ?? ''
  const list = async () => dataOf<Listed>(await owner.call('GET /dashboard/people'), 200).items
  const use = (link: Invited['link']) => call(world.url, 'POST /auth/link', { body: { token: new URL(link.url).hash.slice(1) } })
  beforeAll(async () => {
    team = await world.workspace('doors-team', fileOf('doors-team'))
    owner = await signedIn(team, 'owner@doors-team.example')
  })

  it('are invited by a link, changed and removed, by an owner', async () => {
    const invited = dataOf<Invited>(
      await owner.call('POST /dashboard/people', { body: { email: ' New@Doors-Team.example', role: 'admin' } }),
      201,
    )
    expect((await list()).map(({ email, role }) => `${email} ${role}`)).toEqual([
      'admin@doors-team.example admin',
      'member@doors-team.example member',
      'new@doors-team.example admin',
      'owner@doors-team.example owner',
    ])
    const again = await owner.call('POST /dashboard/people', { body: { email: 'new@doors-team.example', role: 'owner' } })
    expect(outcome(again)).toEqual(coded(409, 'user_exists'))
    const joined = sessionOf(world.url, await use(invited.link), world.settle)
    expect((await joined.call('GET /dashboard/people')).status).toBe(200)
    expect((await use(invited.link)).status).toBe(401)

    const person = `/dashboard/people/${invited.id}`
    expect(dataOf<object>(await owner.call(`PATCH ${person}`, { body: { role: 'member' } }), 200)).toMatchObject({ role: 'member' })
    expect(outcome(await joined.call('GET /dashboard/people'))).toEqual(coded(403, 'role_required'))
    const link = dataOf<Invited['link']>(await owner.call(`POST ${person}/link`, { body: {} }), 201)
    expect((await owner.call(`DELETE ${person}`)).status).toBe(204)
    expect(outcome(await joined.call('GET /dashboard/lists'))).toEqual(unauthenticated)
    expect((await use(link)).status).toBe(401)
    for (const route of [`DELETE ${person}`, `POST ${person}/link`])
      expect(outcome(await owner.call(route))).toEqual(uncoded(404, 'User not found'))
  })

  it('keep an owner: no owner lowers or removes their own user, and no operator the last one', async () => {
    const self = `/dashboard/people/${idOf('owner')}`
    for (const asked of [owner.call(`DELETE ${self}`), owner.call(`PATCH ${self}`, { body: { role: 'member' } })])
      expect(outcome(await asked)).toEqual(coded(409, 'own_user_fixed'))
    const headers = { 'X-Tidings-Workspace': 'doors-team' }
    expect(outcome(await operator.call(`DELETE ${self}`, { headers }))).toEqual(coded(409, 'owner_needed'))
    expect(outcome(await operator.call(`PATCH ${self}`, { headers, body: { role: 'admin' } }))).toEqual(coded(409, 'owner_needed'))
  })

  it('keep one also where two owners lower each other at the same moment', async () => {
    expect((await owner.call(`PATCH /dashboard/people/${idOf('admin')}`, { body: { role: 'owner' } })).status).toBe(200)
    const second = await signedIn(team, 'admin@doors-team.example')
    const answers = await Promise.all([
      owner.call(`PATCH /dashboard/people/${idOf('admin')}`, { body: { role: 'member' } }),
      second.call(`PATCH /dashboard/people/${idOf('owner')}`, { body: { role: 'member' } }),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    await world.settle()
    const { rows } = await world.stores.pool.query<{ role: string }>(
      "select role from read.users where workspace_id = $1 and role = 'owner'",
      [team.applied.workspace.id],
    )
    expect(rows).toHaveLength(1)
  })

  it('of another workspace are not there', async () => {
    const person = `/dashboard/people/${idOf('member')}`
    for (const asked of [
      stranger.call(`DELETE ${person}`),
      stranger.call(`PATCH ${person}`, { body: { role: 'owner' } }),
      stranger.call(`POST ${person}/link`, { body: {} }),
    ])
      expect(outcome(await asked)).toEqual(uncoded(404, 'User not found'))
  })
})

templateCases(() => ({ world, acme, sessions, stranger, person }))
