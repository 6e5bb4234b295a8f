import { type TSchema, Type } from '@sinclair/typebox'
import { Refused } from '@tidings/domain'
import { afterEach, describe, expect, it } from 'vitest'
import { sessionAuthentication } from '../../src/auth/session.ts'
import { throughSessionDoor } from '../../src/auth/session-door.ts'
import type { ReadMarks } from '../../src/auth/unchanged.ts'
import type { App } from '../../src/bare-app.ts'
import { createApp } from '../../src/create-app.ts'
import { acme as acmeKey, credentials, workspaces } from '../demo-app.fixture.ts'

const DOOR = '/api/v1/dashboard'
const { acme, other } = workspaces

/** Users by their tokens. */
const people = {
  member: { workspace: acme, userId: '1', role: 'member' },
  admin: { workspace: acme, userId: '2', role: 'admin' },
  promoted: { workspace: acme, userId: '1', role: 'admin' },
  stranger: { workspace: other, userId: '1', role: 'member' },
} as const
const find = async (token: string) => {
  const person = Object.entries(people).find(([name]) => name === token)?.[1]
  if (person === undefined) return null
  const { workspace, userId, role } = person
  return { workspace: { id: workspace.workspaceId, slug: 'acme' }, userId, email: 'a@acme.example', role, isOperator: false }
}

let app: App | undefined
afterEach(() => app?.close())

/** `marks` are those of the projections `things` and `others`; `asked` counts what the handlers did. */
const NARROW = { n: Type.Integer() }
const serving = (
  marks: { things: string | null; others: string },
  asked: { handlers: number },
  properties: Readonly<Record<string, TSchema>> = NARROW,
) => {
  const shape = Type.Unsafe<{ n: number }>(Type.Object(properties))
  const look: ReadMarks = async (names) => {
    const all = names.map((name) => (name === 'things' ? marks.things : marks.others))
    return all.includes(null) ? null : all.join(' ')
  }
  const routes = async (api: App): Promise<void> => {
    const config = { dashboard: { role: 'member', reads: ['things'] } } as const
    const querystring = Type.Object({ page: Type.Optional(Type.Integer()) })
    api.get('/public/things', { schema: { querystring, response: { 200: shape } }, config }, async () => ({ n: ++asked.handlers, m: 1 }))
    api.get('/public/none', { schema: {}, config }, async () => {
      throw new Refused('profile_not_found')
    })
    api.get('/public/moving', { schema: {}, config: { dashboard: { role: 'member' } } }, async () => ({ n: ++asked.handlers }))
  }
  app = createApp({
    settings: { rateLimits: { default: 'off', key: 'off', forms: 'off', session: 'off' } },
    authentication: { credentials, sessions: sessionAuthentication({ find, findWorkspace: credentials.findWorkspace, publicUrl: null }) },
  })
  app.register(routes, { prefix: '/api/v1' })
  app.register(throughSessionDoor(routes, { marks: look }), { prefix: DOOR })
  return app
}

const get = (served: App, path: string, { as = 'member', etag }: Readonly<{ as?: string; etag?: string | undefined }> = {}) =>
  served.inject({ url: `${DOOR}${path}`, headers: { authorization: `Bearer ${as}`, ...(etag !== undefined && { 'if-none-match': etag }) } })

const tagOf = async (served: App, path = '/things', as = 'member'): Promise<string> =>
  String((await get(served, path, { as })).headers.etag)

describe('an answer that follows from projections', () => {
  it('is not made again while they stay, and is as soon as one moved', async () => {
    const [marks, asked] = [{ things: '7', others: '1' }, { handlers: 0 }]
    const served = serving(marks, asked)
    const first = await get(served, '/things')
    const etag = String(first.headers.etag)
    expect([first.statusCode, first.json().data.n]).toEqual([200, 1])
    const again = await get(served, '/things', { etag })
    expect([again.statusCode, again.body, again.headers.etag, asked.handlers]).toEqual([304, '', etag, 1])
    expect(again.headers).toMatchObject({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' })
    marks.others = '2'
    expect((await get(served, '/things', { etag })).statusCode).toBe(304)
    marks.things = '8'
    const moved = await get(served, '/things', { etag })
    expect([moved.statusCode, moved.json().data.n]).toEqual([200, 2])
    expect(moved.headers.etag).not.toBe(etag)
  })

  it('is another for another workspace, user, role, path and query', async () => {
    const served = serving({ things: '7', others: '1' }, { handlers: 0 })
    const tags = [
      await tagOf(served),
      await tagOf(served, '/things', 'admin'),
      await tagOf(served, '/things', 'promoted'),
      await tagOf(served, '/things', 'stranger'),
      await tagOf(served, '/things?page=1'),
      await tagOf(served, '/things?page=2'),
    ]
    expect(new Set(tags).size).toBe(tags.length)
    for (const as of ['admin', 'promoted', 'stranger']) expect((await get(served, '/things', { as, etag: tags[0] })).statusCode).toBe(200)
  })

  it('is another for a version that shows another shape', async () => {
    const marks = { things: '7', others: '1' }
    const before = await tagOf(serving(marks, { handlers: 0 }))
    await app?.close()
    const wider = serving(marks, { handlers: 0 }, { ...NARROW, m: Type.Integer() })
    expect((await get(wider, '/things', { etag: before })).statusCode).toBe(200)
  })

  it('is made where the marks are not known, and has no tag then', async () => {
    const [marks, asked] = [{ things: '7' as string | null, others: '1' }, { handlers: 0 }]
    const served = serving(marks, asked)
    const etag = await tagOf(served)
    marks.things = null
    const answer = await get(served, '/things', { etag })
    expect([answer.statusCode, answer.headers.etag, asked.handlers]).toEqual([200, undefined, 2])
  })

  it.each([
    ['among others', (etag: string) => `"a", ${etag}, "b"`, 304],
    ['weakened by a proxy that compresses', (etag: string) => `W/${etag}`, 304],
    ['without its quotes', (etag: string) => etag.slice(1, -1), 200],
    ['of any answer', () => '*', 200],
    ['a part of it', (etag: string) => etag.slice(0, -2), 200],
  ])('shown %s', async (_, shown, status) => {
    const served = serving({ things: '7', others: '1' }, { handlers: 0 })
    expect((await get(served, '/things', { etag: shown(await tagOf(served)) })).statusCode).toBe(status)
  })

  it('is refused as before: without a session, with a wrong query, and where the handler refuses there is no tag', async () => {
    const served = serving({ things: '7', others: '1' }, { handlers: 0 })
    const etag = await tagOf(served)
    expect((await get(served, '/things', { as: 'unknown', etag })).statusCode).toBe(401)
    expect((await get(served, '/things?page=x', { etag })).statusCode).toBe(400)
    const refused = await get(served, '/none')
    expect([refused.statusCode, refused.headers.etag]).toEqual([404, undefined])
  })

  it('a route that says nothing of projections has no tag, nor has the public door', async () => {
    const served = serving({ things: '7', others: '1' }, { handlers: 0 })
    expect((await get(served, '/moving')).headers.etag).toBeUndefined()
    expect((await served.inject({ url: '/api/v1/public/things', headers: acmeKey })).headers.etag).toBeUndefined()
  })
})

it('ten tabs that ask every two seconds make the answer once a change, and look at the marks each time', async () => {
  const [marks, asked] = [{ things: '0', others: '1' }, { handlers: 0 }]
  const served = serving(marks, asked)
  const tabs: { etag: string | undefined }[] = Array.from({ length: 10 }, () => ({ etag: undefined }))
  const statuses = new Map<number, number>()
  // A minute: 30 questions of each of the tabs, and something changes three times.
  for (let round = 0; round < 30; round++) {
    if (round % 10 === 5) marks.things = String(round)
    for (const tab of tabs) {
      const answer = await get(served, '/things', { etag: tab.etag })
      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
      if (answer.statusCode === 200) tab.etag = String(answer.headers.etag)
    }
  }
  expect(Object.fromEntries(statuses)).toEqual({ 200: 40, 304: 260 })
  expect(asked.handlers).toBe(40)
})
