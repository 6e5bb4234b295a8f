import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '../../src/auth/tenant.ts'
import type { App } from '../../src/bare-app.ts'
import { acme, acmePage, acmeRevoked, asleep, credentials, demoApp, other, THING, workspaces } from '../demo-app.fixture.ts'

let app: App
const used: Tenant[] = []
beforeAll(() => {
  app = demoApp({ authentication: { credentials, onAuthenticated: (tenant) => used.push(tenant) } })
})
afterAll(() => app.close())

const get = async (headers: Record<string, string>, url = THING) => {
  const answer = await app.inject({ url, headers })
  return [answer.statusCode, answer.json().message]
}
const missing = [401, 'Missing tenant or API key']
const invalid = [401, 'Invalid API key']

describe('the header pair', () => {
  it('is missing when either is', async () => {
    expect(await get({})).toEqual(missing)
    expect(await get({ 'x-api-key': acme['x-api-key'] })).toEqual(missing)
    expect(await get({ 'x-sender-tenant': 'acme' })).toEqual(missing)
    expect(await get({ ...acme, 'x-sender-tenant': '' })).toEqual(missing)
  })
  it('takes the slug or the UUID, in any case', async () => {
    expect((await get(acme))[0]).toBe(200)
    expect((await get({ ...acme, 'x-sender-tenant': workspaces.acme.workspaceId.toUpperCase() }))[0]).toBe(200)
  })
  it.each([
    ['a truncated key', { ...acme, 'x-api-key': acme['x-api-key'].slice(0, -1) }],
    ['a longer key', { ...acme, 'x-api-key': `${acme['x-api-key']}a` }],
    ['another prefix', { ...acme, 'x-api-key': acme['x-api-key'].replace('sk_', 'rk_') }],
    ['a publishable key', acmePage],
    ['an unknown key', { ...acme, 'x-api-key': `sk_evt_${'e'.repeat(64)}` }],
    ['a revoked key', acmeRevoked],
    ['a key of another workspace', { ...acme, 'x-api-key': other['x-api-key'] }],
    ['an unknown tenant', { ...acme, 'x-sender-tenant': 'unknown' }],
    ['a tenant that is no slug', { ...acme, 'x-sender-tenant': 'A C M E' }],
  ])('is invalid with %s', async (_what, headers) => {
    expect(await get(headers)).toEqual(invalid)
  })
  it('passes the tenant to the route, and to the stamp of the key', async () => {
    used.length = 0
    const answer = await app.inject({ url: '/api/v1/me', headers: acme })
    expect(answer.json().data).toEqual({ ...workspaces.acme, keyId: '0192f0c0-0000-7000-8000-0000000000a1' })
    await get({ ...acme, 'x-api-key': 'nonsense' })
    expect(used).toEqual([answer.json().data])
  })
})

describe('an unknown tenant with an active key', () => {
  const lost = { ...acme, 'x-sender-tenant': 'unknown' }
  it('is 404 only where the route says so', async () => {
    expect(await get(lost, '/api/v1/me')).toEqual([404, 'Workspace not found'])
    expect(await get(lost)).toEqual(invalid)
  })
  it('is 401 there too with a key that is not active, or with a tenant of somebody else', async () => {
    expect(await get({ ...acmeRevoked, 'x-sender-tenant': 'unknown' }, '/api/v1/me')).toEqual(invalid)
    expect(await get({ ...acme, 'x-sender-tenant': 'other' }, '/api/v1/me')).toEqual(invalid)
  })
})

describe('a workspace that is not active', () => {
  it('is 403 without a code, except where the route still answers', async () => {
    const answer = await app.inject({ url: THING, headers: asleep })
    expect([answer.statusCode, answer.json()]).toEqual([403, { success: false, message: 'Workspace is not active' }])
    const me = await app.inject({ url: '/api/v1/me', headers: asleep })
    expect([me.statusCode, me.json().data.status]).toEqual([200, 'suspended'])
  })
  it('refuses after the key was accepted, which is a use of it', async () => {
    used.length = 0
    expect((await app.inject({ url: THING, headers: asleep })).statusCode).toBe(403)
    expect(used).toEqual([{ ...workspaces.asleep, keyId: '0192f0c0-0000-7000-8000-0000000000a3' }])
  })
})

describe('a publishable key', () => {
  const signUp = async (headers: Record<string, string>) => {
    const answer = await app.inject({ method: 'POST', url: '/api/v1/sign-ups', headers })
    return [answer.statusCode, answer.json().data ?? answer.json().message]
  }
  it('opens a route that says so, which a secret one opens too', async () => {
    expect(await signUp(acmePage)).toEqual([
      200,
      { ...workspaces.acme, keyId: '0192f0c0-0000-7000-8000-0000000000a5', isPublishable: true },
    ])
    expect(await signUp(acme)).toEqual([200, { ...workspaces.acme, keyId: '0192f0c0-0000-7000-8000-0000000000a1' }])
    expect((await signUp({ ...acmePage, 'x-sender-tenant': 'other' }))[0]).toBe(401)
  })
  it.each(['/api/v1/me', THING, `${THING}/nonsense`])('opens no other, whatever the tenant: %s', async (url) => {
    used.length = 0
    for (const tenant of ['acme', 'unknown', 'other']) expect(await get({ ...acmePage, 'x-sender-tenant': tenant }, url)).toEqual(invalid)
    expect(used).toEqual([])
  })
})

describe('credentials that have to be fetched', () => {
  it('may come later, and their failure is not a 401', async () => {
    const slow = demoApp({
      authentication: {
        credentials: {
          findKey: async (hash) => credentials.findKey(hash),
          findWorkspace: async (reference) => credentials.findWorkspace(reference),
        },
      },
    })
    expect((await slow.inject({ url: THING, headers: acme })).statusCode).toBe(200)
    expect((await slow.inject({ url: THING, headers: acmeRevoked })).statusCode).toBe(401)
    await slow.close()
    const gone = demoApp({
      authentication: {
        credentials: { ...credentials, findKey: () => Promise.reject(Object.assign(new Error(), { code: 'ECONNREFUSED' })) },
      },
    })
    expect((await gone.inject({ url: THING, headers: acme })).statusCode).toBe(503)
    await gone.close()
  })
})
