import { createHash } from 'node:crypto'
import type { ApiKey, EventIngested, SignedIn } from '@tidings/contracts'
import { NIL_ID } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { routesSecuredBy } from './support/routes.ts'
import { storedEvents } from './support/stored-log.ts'
import { call, cookiesOf, newLink, newOperator, type Session, sessionOf, signIn } from './support/users.ts'
import { startWorld, type World } from './support/world.ts'

const PASSWORD = 'correct horse battery'
const ORIGIN = 'https://tidings.acme.example'
const CONNECTOR_AND_USERS = `
connectors: [{ name: shop, secret: the-secret-of-acme }]
users:
  - { email: owner@acme.example, password: ${PASSWORD}, role: owner }
  - { email: admin@acme.example, password: ${PASSWORD}, role: admin }
  - { email: member@acme.example, password: ${PASSWORD}, role: member }`

let world: World
let acme: Client
let other: Client
let owner: Session
let admin: Session
let member: Session
let stranger: Session
let contactOfAcme: string

beforeAll(async () => {
  world = await startWorld({ TIDINGS_PUBLIC_URL: ORIGIN })
  acme = await world.workspace('acme', CONNECTOR_AND_USERS)
  other = await world.workspace('other', `users: [{ email: owner@other.example, password: ${PASSWORD}, role: owner }]`)
  const as = (email: string) => signIn(world.url, { email, password: PASSWORD }, world.settle)
  owner = await as('owner@acme.example')
  admin = await as('admin@acme.example')
  member = await as('member@acme.example')
  stranger = await as('owner@other.example')
  contactOfAcme = (await profilesOf(acme).create({ email: 'person@acme.example' })).id
})
afterAll(() => world?.stop())

const login = (body: unknown, headers = {}) => call(world.url, 'POST /auth/login', { body, headers })
const suspend = ({ applied }: Client) =>
  world.operate(applied.workspace.id, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
const unauthenticated = uncoded(401, 'Authentication required')
const roleRequired = coded(403, 'role_required')
const keyNotFound = uncoded(404, 'API key not found')

type Created = ApiKey & Readonly<{ key: string }>
const create = async (session: Session, name?: string) =>
  dataOf<Created>(await session.call('POST /integrations/api-keys', { body: name === undefined ? {} : { name } }), 201)
const list = async (session: Session) => dataOf<readonly ApiKey[]>(await session.call('GET /integrations/api-keys'), 200)
const me = (key: string, slug = 'acme') => call(world.url, 'GET /public/me', { headers: { 'X-Sender-Tenant': slug, 'X-API-Key': key } })

describe('POST /auth/login', () => {
  it('says who signed in, and sets cookies that no script reads and no plain connection carries', async () => {
    const answer = await login({ email: ' Owner@ACME.example', password: PASSWORD, workspace: 'acme' })
    expect(dataOf<SignedIn>(answer, 200)).toEqual({
      user: { id: acme.applied.users['owner@acme.example'], email: 'owner@acme.example', role: 'owner' },
      workspace: { id: acme.applied.workspace.id, slug: 'acme' },
    })
    const [session = '', browser = ''] = answer.headers.getSetCookie()
    expect(session).toMatch(/^sender_session=[A-Za-z0-9_-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(browser).toMatch(/^sender_browser=[A-Za-z0-9_-]{43}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('refuses an unknown user and a wrong password alike', async () => {
    const failed = uncoded(401, 'Invalid email or password')
    expect(outcome(await login({ email: 'owner@acme.example', password: 'another password' }))).toEqual(failed)
    expect(outcome(await login({ email: 'unknown@acme.example', password: PASSWORD }))).toEqual(failed)
    expect(outcome(await login({ email: 'owner@acme.example', password: PASSWORD, workspace: 'other' }))).toEqual(failed)
  })

  it.each([
    [{}, 'email must be a string'],
    [{ email: 'owner@acme.example' }, 'password must be a string'],
    [{ email: 'owner@acme.example', password: '' }, 'password should not be empty'],
    [{ email: 'owner@acme.example', password: 'x'.repeat(1_025) }, 'password must be shorter than or equal to 1024 characters'],
    [{ email: 'owner@acme.example', password: PASSWORD, remember: true }, 'property remember should not exist'],
    [{ email: 'owner@acme.example', password: 'a\u0000b' }, 'Request contains invalid characters'],
  ])('%j is no request', async (body, message) => {
    expect(outcome(await login(body))).toEqual(uncoded(400, message))
  })

  it('reads no more than 64 KiB', async () => {
    expect((await login({ email: 'owner@acme.example', password: 'x'.repeat(65_536) })).status).toBe(413)
  })

  it('is slowed down for an address after ten failures, known and unknown alike', async () => {
    for (const email of ['owner@other.example', 'unknown@other.example']) {
      await world.stores.pool.query('truncate ops.sign_in_failure')
      expect((await login({ email, password: 'another password' })).status).toBe(401)
      // This makes it look like the tenth in ten milliseconds.
      await world.stores.pool.query(
        'update ops.sign_in_failure set failed = (select array_agg(last_at - n order by n desc) from generate_series(0, 9) n)',
      )
      const answer = await login({ email, password: PASSWORD })
      expect(outcome(answer)).toEqual(uncoded(429, 'Too many failed sign-ins, please try again later'))
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(800)
    }
    await world.stores.pool.query('truncate ops.sign_in_failure')
  })
})

describe('POST /auth/link', () => {
  const refused = uncoded(401, 'The link was used, has expired or was never made')
  const link = (token: unknown) => call(world.url, 'POST /auth/link', { body: { token } })
  const linkOf = (client: Client, email: string) => newLink(world.stores, client, email)

  it('gives the session that a sign-in gives, once', async () => {
    const token = await linkOf(acme, 'admin@acme.example')
    const answer = await link(token)
    expect(dataOf<SignedIn>(answer, 200)).toEqual({
      user: { id: acme.applied.users['admin@acme.example'], email: 'admin@acme.example', role: 'admin' },
      workspace: { id: acme.applied.workspace.id, slug: 'acme' },
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const [session = '', browser = ''] = answer.headers.getSetCookie()
    expect(session).toMatch(/^sender_session=[A-Za-z0-9_-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(browser).toMatch(/^sender_browser=/)
    const headers = { Cookie: session.split(';', 1)[0] ?? '' }
    expect(dataOf<SignedIn>(await call(world.url, 'GET /auth/session', { headers }), 200).user.email).toBe('admin@acme.example')
    for (const used of [token, 'A'.repeat(43), 'nonsense']) expect(outcome(await link(used))).toEqual(refused)
  })

  it('of a suspended workspace is refused', async () => {
    const asleep = await world.workspace('asleep', `users: [{ email: owner@asleep.example, password: ${PASSWORD}, role: owner }]`)
    const token = await linkOf(asleep, 'owner@asleep.example')
    await suspend(asleep)
    expect(outcome(await link(token))).toEqual(refused)
  })

  it.each([
    [{}, 'token must be a string'],
    [{ token: '' }, 'token should not be empty'],
    [{ token: 'x'.repeat(1_025) }, 'token must be shorter than or equal to 1024 characters'],
    [{ token: 'x', workspace: 'acme' }, 'property workspace should not exist'],
  ])('%j is no request', async (body, message) => {
    expect(outcome(await call(world.url, 'POST /auth/link', { body }))).toEqual(uncoded(400, message))
  })
})

describe('an operator of the installation', () => {
  let operator: Session
  beforeAll(async () => {
    const made = await newOperator(world.stores)
    const answer = await call(world.url, 'POST /auth/link', { body: { token: made.token } })
    expect(dataOf<SignedIn>(answer, 200)).toEqual({
      user: { id: made.userId, email: made.email, role: 'operator' },
      workspace: null,
      operator: true,
    })
    operator = sessionOf(world.url, answer, world.settle)
  })

  it('names the workspace to act on, by slug or id', async () => {
    for (const name of ['acme', acme.applied.workspace.id, acme.applied.workspace.id.toUpperCase()]) {
      const answer = await operator.call('GET /integrations/api-keys', { headers: { 'X-Tidings-Workspace': name } })
      expect(dataOf<readonly ApiKey[]>(answer, 200).map(({ id }) => id)).toContain(acme.applied.apiKeys[0]?.id)
    }
    const keys = 'GET /integrations/api-keys'
    expect(outcome(await operator.call(keys))).toEqual(coded(400, 'workspace_required'))
    expect(outcome(await operator.call(keys, { headers: { 'X-Tidings-Workspace': 'nowhere' } }))).toEqual(
      uncoded(404, 'Workspace not found'),
    )
    for (const name of ['../acme', "' or 1=1", NIL_ID, 'ACME'])
      expect(outcome(await operator.call(keys, { headers: { 'X-Tidings-Workspace': name } }))).toEqual(uncoded(404, 'Workspace not found'))
  })

  it('is one in the log, too', async () => {
    const answer = await operator.call('POST /integrations/api-keys', { body: {}, headers: { 'X-Tidings-Workspace': 'acme' } })
    const { id } = dataOf<Created>(answer, 201)
    const workspaceId = acme.applied.workspace.id
    const events = await world.stores.log.readStream(workspaceId, `workspace-${workspaceId}`)
    const created = events.find(({ type, data }) => type === 'ApiKeyCreated' && (data as { keyId?: string }).keyId === id)
    expect(created?.meta.actor).toMatch(/^operator:[0-9a-f-]{36}$/)
  })

  it('looks into a workspace that is not active, and changes nothing there', async () => {
    await suspend(await world.workspace('resting'))
    const headers = { 'X-Tidings-Workspace': 'resting' }
    expect((await operator.call('GET /integrations/api-keys', { headers })).status).toBe(200)
    expect(outcome(await operator.call('POST /integrations/api-keys', { headers, body: {} }))).toEqual(
      uncoded(403, 'Workspace is not active'),
    )
  })

  it('alone may name one', async () => {
    for (const name of ['acme', 'other', ''])
      expect(outcome(await owner.call('GET /integrations/api-keys', { headers: { 'X-Tidings-Workspace': name } }))).toEqual(
        coded(403, 'workspace_not_chosen'),
      )
  })
})

describe('a session', () => {
  it('is a cookie as well as a token', async () => {
    const cookie = `sender_session=${owner.token}`
    for (const headers of [{ Cookie: cookie }, { Authorization: `Bearer ${owner.token}` }])
      expect(dataOf<SignedIn>(await call(world.url, 'GET /auth/session', { headers }), 200).user.email).toBe('owner@acme.example')
  })

  it('in a cookie writes from pages of this service only', async () => {
    const from = (origin?: string) =>
      call(world.url, 'POST /integrations/event-ingest-key', {
        headers: { Cookie: `sender_session=${owner.token}`, ...(origin !== undefined && { Origin: origin }) },
      })
    const before = (await list(owner)).length
    for (const origin of [undefined, 'null', 'https://evil.example', `${ORIGIN}.evil.example`, world.url])
      expect(outcome(await from(origin))).toEqual(uncoded(403, 'Origin is not allowed'))
    expect(await list(owner)).toHaveLength(before)
    expect((await from(ORIGIN)).status).toBe(201)
  })

  it('ends with POST /auth/logout, and its cookie with it', async () => {
    const session = await signIn(world.url, { email: 'owner@other.example', password: PASSWORD }, world.settle)
    const answer = await session.call('POST /auth/logout')
    expect(answer.status).toBe(204)
    expect(cookiesOf(answer)).toEqual({ sender_session: '' })
    expect(outcome(await session.call('GET /auth/session'))).toEqual(unauthenticated)
    expect(outcome(await session.call('POST /auth/logout'))).toEqual(unauthenticated)
  })

  it('ends under an Idempotency-Key that another session of the workspace ended under', async () => {
    const key = { 'Idempotency-Key': 'bye' }
    for (const email of ['owner@acme.example', 'member@acme.example']) {
      const session = await signIn(world.url, { email, password: PASSWORD }, world.settle)
      expect((await session.call('POST /auth/logout', { headers: key })).status).toBe(204)
      expect(outcome(await session.call('GET /auth/session'))).toEqual(unauthenticated)
    }
  })
})

/** Every route that a session authenticates. `path` may name a key or a contact of another workspace. */
const routes: Readonly<Record<string, Readonly<{ path?: (keyId: string) => string; member: object; foreign: object }>>> = {
  'GET /auth/session': { member: { status: 200 }, foreign: { status: 200 } },
  'GET /integrations/api-keys': { member: roleRequired, foreign: { status: 200 } },
  'POST /integrations/api-keys': { member: roleRequired, foreign: { status: 201 } },
  'POST /integrations/event-ingest-key': { member: roleRequired, foreign: { status: 201 } },
  'POST /integrations/publishable-keys': { member: roleRequired, foreign: { status: 201 } },
  'POST /integrations/api-keys/{id}/revoke': {
    path: (keyId) => `/integrations/api-keys/${keyId}/revoke`,
    member: roleRequired,
    foreign: keyNotFound,
  },
  'DELETE /integrations/api-keys/{id}': { path: (keyId) => `/integrations/api-keys/${keyId}`, member: roleRequired, foreign: keyNotFound },
  'GET /integrations/contacts/{id}/consent': {
    path: () => `/integrations/contacts/${contactOfAcme}/consent`,
    member: { status: 200 },
    foreign: uncoded(404, 'Contact not found'),
  },
  // Last: it ends the session that it is tried with.
  'POST /auth/logout': { member: { status: 204 }, foreign: { status: 204 } },
}

describe('every route of a session', () => {
  const keyOfAcme = () => acme.applied.apiKeys[0]?.id ?? ''
  const routeTo = (route: string) => `${route.split(' ')[0]} ${routes[route]?.path?.(keyOfAcme()) ?? route.split(' ')[1]}`
  const stored = async () =>
    (await storedEvents(world.stores.store)).filter(({ stream }) => stream.includes(acme.applied.workspace.id)).length

  it('is tried here', async () => {
    expect(await routesSecuredBy(world.url, 'session')).toEqual(Object.keys(routes).sort())
  })

  it.each(Object.keys(routes))('%s needs one: an API key is none, nor is what looks like a session', async (route) => {
    const before = await stored()
    for (const headers of [
      {},
      { 'X-Sender-Tenant': 'acme', 'X-API-Key': acme.key },
      { Authorization: `Bearer ${acme.key}` },
      { Authorization: `Bearer ${'A'.repeat(43)}` },
      { Cookie: 'sender_session=', Origin: ORIGIN },
      { Cookie: `sender_session=${createHash('sha256').update(owner.token).digest('base64url')}`, Origin: ORIGIN },
    ])
      expect(
        outcome(await call(world.url, routeTo(route), { headers, ...(route.startsWith('GET') ? {} : { body: { extra: 1 } }) })),
      ).toEqual(unauthenticated)
    expect(await stored()).toBe(before)
  })

  it.each(Object.entries(routes))('%s is answered by the role, before the input', async (route, { member: expected }) => {
    const session =
      route === 'POST /auth/logout' ? await signIn(world.url, { email: 'member@acme.example', password: PASSWORD }, world.settle) : member
    const before = await stored()
    expect(outcome(await session.call(routeTo(route)))).toMatchObject(expected)
    if (expected === roleRequired) expect(outcome(await session.call(`${routeTo(route)}?extra=1`))).toMatchObject(roleRequired)
    expect(await stored()).toBe(before)
  })

  it.each(Object.entries(routes))('%s reaches nothing of another workspace', async (route, { foreign }) => {
    const session =
      route === 'POST /auth/logout' ? await signIn(world.url, { email: 'owner@other.example', password: PASSWORD }, world.settle) : stranger
    const before = await stored()
    const answer = await session.call(routeTo(route))
    expect(outcome(answer)).toMatchObject(foreign)
    for (const secret of [keyOfAcme(), acme.applied.workspace.id, 'acme.example']) expect(JSON.stringify(answer.body)).not.toContain(secret)
    expect(await stored()).toBe(before)
    expect((await me(acme.key)).status).toBe(200)
  })

  it.each(['GET /integrations/api-keys', 'POST /integrations/api-keys'])('%s takes no property that is not its own', async (route) => {
    const asking = route.startsWith('GET') ? {} : { body: { name: 'x', scope: 'all' } }
    expect(outcome(await admin.call(route.startsWith('GET') ? `${route}?all=1` : route, asking))).toEqual(
      uncoded(400, `property ${route.startsWith('GET') ? 'all' : 'scope'} should not exist`),
    )
  })
})

describe('the life of a key', () => {
  it('is created, revoked and deleted by an owner or an admin; the whole key is shown once', async () => {
    const { key, ...record } = await create(admin, 'server-2027')
    expect(key).toMatch(/^sk_evt_[0-9a-f]{64}$/)
    expect(record).toEqual({
      id: expect.any(String),
      name: 'server-2027',
      kind: 'secret',
      prefix: key.slice(0, 15),
      status: 'active',
      lastUsedAt: null,
      createdAt: expect.stringMatching(/Z$/),
      revokedAt: null,
    })
    expect((await list(owner))[0]).toEqual(record)
    expect((await me(key)).status).toBe(200)
    expect(outcome(await owner.call(`DELETE /integrations/api-keys/${record.id}`))).toEqual(coded(409, 'api_key_active'))

    const revoked = dataOf<ApiKey>(await owner.call(`POST /integrations/api-keys/${record.id}/revoke`), 200)
    expect(revoked).toMatchObject({ ...record, status: 'revoked', lastUsedAt: revoked.lastUsedAt, revokedAt: expect.stringMatching(/Z$/) })
    expect(outcome(await me(key))).toEqual(uncoded(401, 'Invalid API key'))
    expect(dataOf<ApiKey>(await owner.call(`POST /integrations/api-keys/${record.id}/revoke`), 200)).toMatchObject({
      status: 'revoked',
      revokedAt: revoked.revokedAt,
    })

    expect((await owner.call(`DELETE /integrations/api-keys/${record.id}`)).status).toBe(204)
    expect(outcome(await owner.call(`DELETE /integrations/api-keys/${record.id}`))).toEqual(keyNotFound)
    expect(outcome(await owner.call(`POST /integrations/api-keys/${record.id}/revoke`))).toEqual(keyNotFound)
    expect((await list(owner)).map(({ id }) => id)).not.toContain(record.id)
  })

  it('leaves in the log who asked and from where, readable and sealed, and no key', async () => {
    const { id, key } = dataOf<Created>(
      await owner.call('POST /integrations/api-keys', { body: {}, headers: { 'User-Agent': 'Netscape Navigator 4.0' } }),
      201,
    )
    await admin.call(`POST /integrations/api-keys/${id}/revoke`)
    const workspaceId = acme.applied.workspace.id
    const events = (await world.stores.log.readStream(workspaceId, `workspace-${workspaceId}`)).filter(
      ({ data }) => (data as { keyId?: string }).keyId === id,
    )
    const [ownerId, adminId] = ['owner', 'admin'].map((role) => acme.applied.users[`${role}@acme.example`])
    expect(events).toMatchObject([
      {
        type: 'ApiKeyCreated',
        meta: { actor: `user:${ownerId}` },
        data: { userId: ownerId, ip: '127.0.0.1', userAgent: 'Netscape Navigator 4.0' },
      },
      { type: 'ApiKeyRevoked', meta: { actor: `user:${adminId}` }, data: { userId: adminId, ip: '127.0.0.1' } },
    ])
    const stored = JSON.stringify((await storedEvents(world.stores.store)).map(({ data, meta }) => [String(data), String(meta)]))
    for (const secret of [key, key.slice(7), owner.token, 'Netscape', PASSWORD]) expect(stored).not.toContain(secret)
  })

  it('begins without a name', async () => {
    for (const route of ['POST /integrations/api-keys', 'POST /integrations/event-ingest-key'])
      expect(dataOf<Created>(await owner.call(route), 201).name).toBe('API key')
    expect(outcome(await owner.call('POST /integrations/event-ingest-key', { body: { name: 'x' } }))).toEqual(
      uncoded(400, 'property name should not exist'),
    )
    for (const [name, message] of [
      ['', 'name should not be empty'],
      ['x'.repeat(256), 'name must be shorter than or equal to 255 characters'],
    ] as const)
      expect(outcome(await owner.call('POST /integrations/api-keys', { body: { name } }))).toEqual(uncoded(400, message))
  })

  it.each(['POST /integrations/api-keys/nonsense/revoke', 'DELETE /integrations/api-keys/nonsense'])('%s is 400', async (route) => {
    expect(outcome(await owner.call(route))).toEqual(uncoded(400, 'Validation failed (uuid is expected)'))
  })

  it('is begun once under one Idempotency-Key, and shown once (M1)', async () => {
    const ask = () => owner.call('POST /integrations/api-keys', { body: { name: 'once' }, headers: { 'Idempotency-Key': 'rotation-7' } })
    const first: Answer = await ask()
    expect(first.status).toBe(201)
    expect(outcome(await ask())).toEqual(coded(409, 'idempotency_key_reused'))
    expect((await list(owner)).filter(({ name }) => name === 'once')).toHaveLength(1)
    const { rows } = await world.stores.pool.query<{ row: string }>('select t::text as row from ops.idempotency t')
    const { key } = dataOf<Created>(first, 201)
    expect(rows.map(({ row }) => row).join()).not.toContain(key)
  })

  it('is not shown by the request that takes over after a crash, whose key is not the stored one', async () => {
    const ask = () => owner.call('POST /integrations/api-keys', { body: { name: 'lost' }, headers: { 'Idempotency-Key': 'crash-1' } })
    expect((await ask()).status).toBe(201)
    // A process that dies between the append and its answer leaves this.
    await world.stores.pool.query(`update ops.idempotency set status = null, answer = null, lease_until = now() - interval '1 second'
      where path = '/api/v1/integrations/api-keys' and status = 201`)
    expect(outcome(await ask())).toEqual(coded(409, 'idempotency_key_reused'))
    expect((await list(owner)).filter(({ name }) => name === 'lost')).toHaveLength(1)
  })
})

describe('store events of a session', () => {
  const body = { event: 'order.completed', email: 'buyer@store.example', data: { orderId: '7' } }

  it('are those of the user, in the workspace of the session', async () => {
    await profilesOf(acme).create({ email: body.email })
    const answer = await member.call('POST /integrations/store-events', { body, headers: { 'X-Sender-Tenant': 'other' } })
    const { status, contactId } = dataOf<EventIngested>(answer, 200)
    expect(status).toBe('ok')
    const stored = (await storedEvents(world.stores.store)).map(({ meta }) => String(meta))
    const mine = stored.filter((meta) => meta.includes(`"actor":"user:${acme.applied.users['member@acme.example']}"`))
    expect(mine).toHaveLength(1)
    expect(mine[0]).toContain(acme.applied.workspace.id)
    expect(outcome(await other.request('GET', `/public/profiles/${contactId}`))).toEqual(uncoded(404, 'Profile not found'))
  })

  it('need its origin where the session is a cookie, and the secret where one is sent', async () => {
    const send = (headers: Readonly<Record<string, string>>) => call(world.url, 'POST /integrations/store-events', { body, headers })
    const cookie = { Cookie: `sender_session=${member.token}` }
    expect(outcome(await send(cookie))).toEqual(uncoded(403, 'Origin is not allowed'))
    expect((await send({ ...cookie, Origin: ORIGIN })).status).toBe(200)
    expect(outcome(await send({ Authorization: 'Bearer nonsense' }))).toEqual(unauthenticated)
    expect(outcome(await send({ ...cookie, 'X-Sender-Tenant': 'acme', 'X-Connector-Secret': 'wrong-secret' }))).toEqual(
      uncoded(401, 'Invalid connector secret'),
    )
    expect((await send({ 'X-Sender-Tenant': 'acme', 'X-Connector-Secret': 'the-secret-of-acme' })).status).toBe(200)
  })
})
