import { Type } from '@sinclair/typebox'
import { Refused, type UserRole } from '@tidings/domain'
import { afterEach, describe, expect, it } from 'vitest'
import { DASHBOARD_ROLES } from '../../src/auth/dashboard-roles.ts'
import { sessionAuthentication } from '../../src/auth/session.ts'
import { throughSessionDoor } from '../../src/auth/session-door.ts'
import type { App } from '../../src/bare-app.ts'
import { createApp } from '../../src/create-app.ts'
import { invalidRequest, unavailable } from '../../src/errors/problems.ts'
import { dashboardDocument } from '../../src/openapi/documentation.ts'
import { acme as acmeKey, credentials, workspaces } from '../demo-app.fixture.ts'

const HOME = 'https://tidings.example'
const DOOR = '/api/v1/dashboard'

type Person = Readonly<{ role: UserRole; isOperator?: true; workspace?: 'acme' | 'other' | null }>
/** The sessions by their tokens. */
const people: Readonly<Record<string, Person>> = {
  member: { role: 'member' },
  admin: { role: 'admin' },
  owner: { role: 'owner' },
  stranger: { role: 'owner', workspace: 'other' },
  operator: { role: 'owner', isOperator: true, workspace: null },
  local: { role: 'owner', isOperator: true },
}
const find = async (token: string) => {
  const person = people[token]
  if (person === undefined) return null
  const { role, isOperator = false, workspace = 'acme' } = person
  const own = workspace === null ? null : { id: workspaces[workspace].workspaceId, slug: workspace }
  return { workspace: own, userId: `0192f0c0-0000-7000-8000-0000000000${token.length}0`, email: `${token}@acme.example`, role, isOperator }
}

let app: App | undefined
afterEach(() => app?.close())

const routes = async (api: App): Promise<void> => {
  for (const role of DASHBOARD_ROLES) {
    const config = { dashboard: { role } } as const
    api.get(`/public/${role}`, { schema: { querystring: Type.Object({ n: Type.Optional(Type.Integer()) }) }, config }, async (request) => ({
      workspace: request.tenant?.slug ?? null,
      isOperator: request.user?.actsAsOperator ?? null,
    }))
    api.post(`/public/${role}`, { schema: { body: Type.Object({ name: Type.String() }) }, config }, async ({ body }) => body)
  }
  api.get('/public/closed', { schema: {} }, async () => 'for keys alone')
  api.get('/own', { config: { access: 'session', dashboard: { role: 'member' } } }, async () => 'mine')
}

const doors = (session: number | 'off' = 'off'): App => {
  app = createApp({
    settings: { rateLimits: { default: 1, key: 1_000, forms: 1, session } },
    authentication: {
      credentials,
      sessions: sessionAuthentication({ find, findWorkspace: credentials.findWorkspace, publicUrl: HOME }),
    },
  })
  app.register(routes, { prefix: '/api/v1' })
  for (const plugin of [routes, dashboardDocument]) app.register(throughSessionDoor(plugin), { prefix: DOOR })
  return app
}

type AskOptions = Readonly<{ as?: string; headers?: Readonly<Record<string, string>>; body?: string }>
/** As a browser asks: with the cookie, and for a write with the origin of the page. */
const ask = (served: App, route: string, { as, headers = {}, body }: AskOptions = {}) => {
  const [method = 'GET', path = ''] = route.split(' ')
  const shown = as === undefined ? {} : { cookie: `sender_session=${as}` }
  const own = method === 'GET' ? {} : { origin: HOME, 'content-type': 'application/json' }
  return served.inject({
    method: method === 'GET' ? 'GET' : 'POST',
    url: `${DOOR}${path}`,
    headers: { ...shown, ...own, ...headers },
    ...(body !== undefined && { payload: body }),
  })
}
const GOOD = '{"name":"Ada"}'

describe('behind the door', () => {
  it('stand the routes that say so, at their paths without /public, and no other', async () => {
    const served = doors()
    expect((await ask(served, 'GET /member', { as: 'member' })).json()).toEqual({
      success: true,
      data: { workspace: 'acme', isOperator: false },
    })
    expect((await ask(served, 'GET /own', { as: 'member' })).statusCode).toBe(200)
    for (const path of ['/closed', '/public/member', '/public/closed'])
      expect((await ask(served, `GET ${path}`, { as: 'owner' })).statusCode).toBe(404)
  })

  it('a key opens nothing, and a session nothing in front of it', async () => {
    const served = doors()
    expect((await ask(served, 'GET /member', { headers: acmeKey })).statusCode).toBe(401)
    expect((await served.inject({ url: '/api/v1/public/member', headers: { cookie: 'sender_session=owner' } })).statusCode).toBe(401)
    expect((await served.inject({ url: '/api/v1/public/admin', headers: acmeKey })).statusCode).toBe(200)
  })

  it.each(DASHBOARD_ROLES.flatMap((wanted) => ([...DASHBOARD_ROLES, 'local'] as const).map((as) => [wanted, as] as const)))(
    'a route for %s answers %s by the role',
    async (wanted, as) => {
      const served = doors()
      const headers = as === 'operator' ? { 'x-tidings-workspace': 'acme' } : {}
      const rank = as === 'operator' || as === 'local' ? 3 : DASHBOARD_ROLES.indexOf(as)
      const may = rank >= DASHBOARD_ROLES.indexOf(wanted)
      const code = { member: '', admin: 'role_required', owner: 'owner_required', operator: 'operator_required' }[wanted]
      for (const route of [`GET /${wanted}`, `POST /${wanted}`]) {
        const answer = await ask(served, route, { as, headers, ...(route.startsWith('POST') && { body: GOOD }) })
        expect([answer.statusCode, answer.json().code]).toEqual(may ? [200, undefined] : [403, code])
      }
    },
  )

  it.each([
    ['a body that is no JSON comes before the session', { body: '{' }, 400],
    ['as does one of another type', { body: 'name=Ada', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 400],
    ['and one that a page of any site may send', { body: GOOD, headers: { 'content-type': 'text/plain' } }, 400],
    ['the session comes before the origin', { body: GOOD, headers: { origin: 'https://evil.example' } }, 401],
    ['the origin before the role', { as: 'member', body: GOOD, headers: { origin: 'https://evil.example' } }, 403, undefined],
    ['the role before the shape', { as: 'member', body: '{}' }, 403, 'owner_required'],
    ['then comes the shape', { as: 'owner', body: '{}' }, 400],
  ])('%s', async (_, asking, status, code?: string) => {
    const answer = await ask(doors(), 'POST /owner', asking)
    expect([answer.statusCode, answer.json().code]).toEqual([status, code])
  })

  const foreign: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another name of the same site', { 'sec-fetch-site': 'same-site' }],
    ['no page at all', { 'sec-fetch-site': 'none' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['a frame without an origin', { origin: 'null' }],
    ['another port', { origin: `${HOME}:8443` }],
    ['a name that begins like ours', { origin: `${HOME}.evil.example` }],
    ['our origin by the word of another site', { origin: HOME, 'sec-fetch-site': 'cross-site' }],
  ]
  it.each(foreign)('%s neither reads nor writes', async (_, headers) => {
    const served = doors()
    for (const shown of [{}, { cookie: '', authorization: 'Bearer owner' }]) {
      expect((await ask(served, 'GET /member', { as: 'owner', headers: { ...headers, ...shown } })).json().message).toBe(
        'Origin is not allowed',
      )
      expect((await ask(served, 'POST /member', { as: 'owner', headers: { ...headers, ...shown }, body: GOOD })).statusCode).toBe(403)
    }
  })

  it('our own pages do, and a cookie writes with its origin only', async () => {
    const served = doors()
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { origin: HOME }])
      expect((await ask(served, 'GET /member', { as: 'owner', headers })).statusCode).toBe(200)
    const bare = await served.inject({
      method: 'POST',
      url: `${DOOR}/member`,
      headers: { cookie: 'sender_session=owner', 'content-type': 'application/json' },
      payload: GOOD,
    })
    expect(bare.statusCode).toBe(403)
  })

  it('an operator acts on the workspace that is named, and only where one is needed', async () => {
    const served = doors()
    const get = async (as: string, path: string, workspace?: string) => {
      const answer = await ask(served, `GET ${path}`, { as, headers: workspace === undefined ? {} : { 'x-tidings-workspace': workspace } })
      const { data, code, message } = answer.json()
      return data ?? code ?? message
    }
    expect(await get('operator', '/owner')).toBe('workspace_required')
    expect(await get('operator', '/owner', '')).toBe('workspace_required')
    expect(await get('operator', '/owner', 'nowhere')).toBe('Workspace not found')
    expect(await get('operator', '/owner', 'other')).toEqual({ workspace: 'other', isOperator: true })
    expect(await get('operator', '/operator')).toEqual({ workspace: null, isOperator: true })
    // The demo's owner on a developer's machine.
    expect(await get('local', '/owner')).toEqual({ workspace: 'acme', isOperator: false })
    expect(await get('local', '/owner', 'other')).toEqual({ workspace: 'other', isOperator: true })
    expect(await get('local', '/operator')).toEqual({ workspace: 'acme', isOperator: true })
    for (const as of ['member', 'owner']) expect(await get(as, '/member', 'acme')).toBe('workspace_not_chosen')
    expect(await get('operator', '/owner', 'asleep')).toEqual({ workspace: 'asleep', isOperator: true })
    const write = await ask(served, 'POST /owner', { as: 'operator', headers: { 'x-tidings-workspace': 'asleep' }, body: GOOD })
    expect(write.json().message).toBe('Workspace is not active')
  })

  it('a page of another workspace than that of the session neither reads nor writes', async () => {
    const served = doors()
    const codes = async (as: string, slug: string) => {
      const headers = { 'x-tidings-page': slug }
      const answers = [await ask(served, 'GET /member', { as, headers }), await ask(served, 'POST /member', { as, headers, body: GOOD })]
      return answers.map((answer) => answer.json().code ?? answer.statusCode)
    }
    expect(await codes('member', 'acme')).toEqual([200, 200])
    for (const slug of ['other', 'ACME', ''])
      expect(await codes('member', slug)).toEqual(['other_workspace_shown', 'other_workspace_shown'])
    expect(await codes('stranger', 'acme')).toEqual(['other_workspace_shown', 'other_workspace_shown'])
    const named = { 'x-tidings-page': 'acme', 'x-tidings-workspace': 'other' }
    expect((await ask(served, 'GET /member', { as: 'operator', headers: named })).statusCode).toBe(200)
  })

  it('no answer is kept by a cache or read by another site, whatever it is', async () => {
    const served = doors()
    const answers = [
      await ask(served, 'GET /member', { as: 'owner' }),
      await ask(served, 'GET /member'),
      await ask(served, 'POST /member', { as: 'owner', body: '{' }),
      await ask(served, 'GET /openapi.json', { as: 'member' }),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 401, 400, 200])
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
  })

  it('a session has one bucket over all routes, a stranger that of the address, and none of the others’', async () => {
    const served = doors(3)
    const statuses = async (as: string | undefined, ...paths: readonly string[]) => {
      const answers = []
      for (const path of paths) answers.push((await ask(served, `GET ${path}`, as === undefined ? {} : { as })).statusCode)
      return answers
    }
    expect(await statuses('owner', '/member', '/owner', '/member', '/admin')).toEqual([200, 200, 200, 429])
    // Another session of the same address is not kept out.
    expect(await statuses('member', '/member', '/member')).toEqual([200, 200])
    expect(await statuses(undefined, '/member', '/own', '/member', '/own')).toEqual([401, 401, 401, 429])
    const answer = await ask(served, 'GET /member', { as: 'admin' })
    expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '2' })
    expect(answer.headers).not.toHaveProperty('x-ratelimit-limit-tenant')
  })

  it('what is noted is noted before it is done, and no more where it is refused', async () => {
    const notes = new Set<string>()
    const seen: string[][] = []
    const noted = async (api: App): Promise<void> => {
      const config = { access: 'session', dashboard: { role: 'member', notes: 'discard' } } as const
      api.post('/noted/:how', { schema: { params: Type.Object({ how: Type.String() }) }, config }, async ({ params: { how } }) => {
        seen.push([...notes])
        if (how === 'refused') throw new Refused('dead_letter_settled')
        if (how === 'wrong') throw invalidRequest('how must be another one')
        if (how === 'away') throw unavailable()
        if (how === 'fails') throw new Error('the log is away')
        return how
      })
    }
    const noteAct = async ({ url }: Readonly<{ url: string }>) => {
      notes.add(url)
      return async () => notes.delete(url)
    }
    const served = doors()
    served.register(throughSessionDoor(noted, { noteAct }), { prefix: DOOR })
    const statuses: number[] = []
    for (const how of ['done', 'refused', 'wrong', 'fails', 'away'])
      statuses.push((await ask(served, `POST /noted/${how}`, { as: 'member' })).statusCode)
    expect(statuses).toEqual([200, 409, 400, 500, 503])
    const [done = '', refused = '', wrong = '', fails = '', away = ''] = ['done', 'refused', 'wrong', 'fails', 'away'].map(
      (how) => `${DOOR}/noted/${how}`,
    )
    expect(seen).toEqual([[done], [done, refused], [done, wrong], [done, fails], [done, fails, away]])
    expect([...notes]).toEqual([done, fails, away])
  })

  it('what can be noted in one of two places alone is not done, and noted in none', async () => {
    const notes = new Set<string>()
    let isDone = false
    const noted = async (api: App): Promise<void> => {
      const operates = { act: 'retry', thing: () => 'a letter' } as const
      api.post('/noted', { config: { access: 'session', dashboard: { role: 'operator', notes: 'retry', operates } } }, async () => {
        isDone = true
        return null
      })
    }
    const noteAct = async (_: unknown, { at }: Readonly<{ at: string }>) => {
      if (at === 'installation') throw new Error('the database is away')
      notes.add(at)
      return async () => notes.delete(at)
    }
    const served = doors()
    served.register(throughSessionDoor(noted, { noteAct }), { prefix: DOOR })
    const answer = await ask(served, 'POST /noted', { as: 'operator', headers: { 'x-tidings-workspace': 'acme' } })
    expect([answer.statusCode, isDone, [...notes]]).toEqual([500, false, []])
  })

  it('the document has these routes with the least role, for a session, and the other document does not have them', async () => {
    const served = doors()
    await served.ready()
    expect((await ask(served, 'GET /openapi.json')).statusCode).toBe(401)
    const answer = await ask(served, 'GET /openapi.json', { as: 'operator' })
    type Documented = Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, Readonly<{ 'x-tidings-role': string }>>>>> }>
    const own = answer.json<Documented>()
    const roles = Object.entries(own.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => `${method} ${path} ${operation['x-tidings-role']}`),
    )
    const expected = DASHBOARD_ROLES.flatMap((role) => [`get ${DOOR}/${role} ${role}`, `post ${DOOR}/${role} ${role}`])
    expect(roles.toSorted()).toEqual([...expected, `get ${DOOR}/own member`].toSorted())
    const all = (await served.inject('/openapi.json')).json<Documented>()
    expect(Object.keys(all.paths).filter((path) => path.startsWith(DOOR))).toEqual([])
    expect(Object.keys(all.paths)).toContain('/api/v1/public/member')
  })
})
