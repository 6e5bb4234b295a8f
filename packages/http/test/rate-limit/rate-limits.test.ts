import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { App } from '../../src/bare-app.ts'
import type { HttpSettings } from '../../src/create-app.ts'
import { A_UUID, acme, acmePage, acmeRevoked, asleep, demoApp, other, THING, workspaces } from '../demo-app.fixture.ts'

let app: App
afterEach(() => app.close())

const limited = (rateLimits: Partial<HttpSettings['rateLimits']>, more: Partial<HttpSettings> = {}): void => {
  app = demoApp({ settings: { rateLimits: { default: 60, key: 1_200, forms: 10, ...rateLimits }, ...more } }, (api) => {
    api.post('/api/v1/forms', { config: { throttle: 'forms' } }, async () => ({}))
    api.post('/api/v1/login', { config: { throttle: 3 } }, async () => ({}))
    api.post('/api/v1/sign-outs', { config: { publishable: true } }, async () => ({}))
    api.get('/api/v1/open', { config: { access: 'open' } }, async () => ({}))
  })
}
const rateHeaders = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-ratelimit') || name.startsWith('retry-after')))
const get = async (options: object = {}) => {
  const answer = await app.inject({ url: THING, headers: acme, ...options })
  return { status: answer.statusCode, message: answer.json().message, headers: rateHeaders(answer.headers) }
}

describe('the headers', () => {
  // No second of the minute passes between two requests.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  it('tell the state of both buckets', async () => {
    limited({})
    expect((await get()).headers).toEqual({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': '60',
      'x-ratelimit-limit-tenant': '1200',
      'x-ratelimit-remaining-tenant': '1199',
      'x-ratelimit-reset-tenant': '60',
    })
  })
  it('stand on a 401 and on a 400 of validation', async () => {
    limited({})
    expect(Object.keys((await get({ headers: {} })).headers)).toHaveLength(6)
    expect(Object.keys((await get({ url: `${THING}?x=1` })).headers)).toHaveLength(6)
  })
  it('of a full default bucket are its Retry-After alone, and the tenant bucket is not touched', async () => {
    limited({ default: 1 })
    await get()
    const blocked = await get()
    expect(blocked).toEqual({ status: 429, message: 'Too many requests, please try again later', headers: { 'retry-after': '60' } })
    const elsewhere = await get({ url: '/api/v1/me' })
    expect(elsewhere.headers['x-ratelimit-remaining-tenant']).toBe('1198')
  })
  it('of a full tenant bucket are its Retry-After-tenant beside the state of the default one', async () => {
    limited({ key: 1 })
    await get()
    expect(await get()).toEqual({
      status: 429,
      message: 'Too many requests, please try again later',
      headers: { 'retry-after-tenant': '60', 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '58', 'x-ratelimit-reset': '60' },
    })
  })
  it('of a bucket that is off are not there', async () => {
    limited({ default: 'off', key: 'off' })
    expect((await get()).headers).toEqual({})
  })
})

describe('the default bucket', () => {
  it('counts each route by itself, and HEAD with GET', async () => {
    limited({ default: 2 })
    await get()
    await get()
    expect((await get()).status).toBe(429)
    expect((await get({ url: `${THING}/${A_UUID}` })).status).toBe(200)
    await get({ url: '/api/v1/me' })
    const head = await app.inject({ method: 'HEAD', url: '/api/v1/me', headers: acme })
    expect(head.headers['x-ratelimit-remaining']).toBe('0')
  })
  it('counts one route over all its ids, before the key is checked', async () => {
    limited({ default: 1 })
    await get({ url: `${THING}/${A_UUID}` })
    expect((await get({ url: `${THING}/other`, headers: {} })).status).toBe(429)
  })
  it('counts each address by itself, and believes X-Forwarded-For of a trusted proxy only', async () => {
    limited({ default: 1 })
    const from = (remoteAddress: string, forwarded?: string) =>
      get({ remoteAddress, headers: { ...acme, ...(forwarded ? { 'x-forwarded-for': forwarded } : {}) } })
    await from('10.0.0.1')
    expect((await from('10.0.0.2')).status).toBe(200)
    expect((await from('10.0.0.1', '203.0.113.1')).status).toBe(429)
    await app.close()
    limited({ default: 1 }, { trustProxy: '10.0.0.1, 10.1.0.0/16' })
    await from('10.0.0.1', '203.0.113.1')
    expect((await from('10.0.0.1', '203.0.113.2')).status).toBe(200)
    expect((await from('10.1.9.9', '203.0.113.1')).status).toBe(429)
  })
  it('is replaced by what a route sets, which `off` lifts too; forms have their own setting', async () => {
    limited({})
    const limitOf = async (url: string) => (await app.inject({ method: 'POST', url, headers: acme })).headers['x-ratelimit-limit']
    expect([await limitOf('/api/v1/login'), await limitOf('/api/v1/forms')]).toEqual(['3', '10'])
    await app.close()
    limited({ default: 'off' })
    expect([await limitOf('/api/v1/login'), await limitOf('/api/v1/forms')]).toEqual([undefined, '10'])
  })
})

describe('the tenant bucket', () => {
  it('counts the presented key over all routes, and the address where no workspace has the key', async () => {
    limited({ key: 2 })
    await get({ url: `${THING}/${A_UUID}` })
    await get()
    expect((await get({ url: '/api/v1/me' })).status).toBe(429)
    expect((await get({ url: '/api/v1/me', headers: other })).status).toBe(200)
    const nonsense = { ...acme, 'x-api-key': 'nonsense' }
    const statuses = [await get({ headers: nonsense }), await get({ headers: nonsense }), await get({ headers: nonsense })].map(
      ({ status }) => status,
    )
    expect(statuses).toEqual([401, 401, 429])
  })
  const [attacker, visitor] = ['203.0.113.66', '203.0.113.7']
  const statusesOf = async (count: number, options: object) => {
    const answers = await Promise.all(Array.from({ length: count }, () => get(options)))
    return answers.map(({ status }) => status)
  }

  it.each([
    ['a wrong tenant', { ...acme, 'x-sender-tenant': 'missing' }, {}, acme],
    ['the tenant of others', { ...acme, 'x-sender-tenant': 'other' }, {}, acme],
    ['no tenant', { 'x-api-key': acme['x-api-key'] }, {}, acme],
    ['a tenant that is no slug', { ...acme, 'x-sender-tenant': 'A C M E' }, {}, acme],
    ['a wrong tenant where that is said', { ...acme, 'x-sender-tenant': 'missing' }, { url: '/api/v1/me' }, acme],
    ['a page key and a wrong tenant', { ...acmePage, 'x-sender-tenant': 'missing' }, { url: '/api/v1/sign-ups', method: 'POST' }, acmePage],
    ['a page key where none is taken', acmePage, {}, acmePage],
    ['a page key where it is taken', acmePage, { url: '/api/v1/sign-ups', method: 'POST' }, acmePage],
    ['a key on a route that asks for none', acme, { url: '/api/v1/open' }, acme],
  ])('of a key is not used up by another address with %s', async (_what, headers, options, key) => {
    limited({ key: 3 })
    const flood = await statusesOf(5, { ...options, headers, remoteAddress: attacker })
    expect(flood.slice(3)).toEqual([429, 429])
    expect(flood.slice(0, 3)).not.toContain(429)
    const page = { url: '/api/v1/sign-ups', method: 'POST' }
    const own = await get({ ...(key === acmePage ? page : {}), headers: key, remoteAddress: visitor })
    expect([own.status, own.headers['x-ratelimit-limit-tenant'], own.headers['x-ratelimit-remaining-tenant']]).toEqual([200, '3', '2'])
  })

  it('of a secret key is one for all addresses, and for the slug and the UUID of its workspace', async () => {
    limited({ key: 3 })
    const byUuid = { ...acme, 'x-sender-tenant': workspaces.acme.workspaceId }
    for (const headers of [acme, byUuid, byUuid]) expect((await get({ headers, remoteAddress: attacker })).status).toBe(200)
    expect((await get({ remoteAddress: visitor })).status).toBe(429)
  })

  it('of a page key is one for an IPv6 network, over all routes that take the key', async () => {
    limited({ key: 2 })
    const ask = async (remoteAddress: string, url = '/api/v1/sign-ups') =>
      (await get({ url, method: 'POST', headers: acmePage, remoteAddress })).status
    expect([await ask('2001:db8:1:2::1'), await ask('2001:db8:1:2::2', '/api/v1/sign-outs')]).toEqual([200, 200])
    expect([await ask('2001:db8:1:2:ffff::3'), await ask('2001:db8:1:3::1')]).toEqual([429, 200])
  })

  it('of a key whose workspace is suspended is used by it, and of a revoked key by no caller', async () => {
    limited({ key: 1 })
    expect(await statusesOf(1, { headers: asleep, remoteAddress: attacker })).toEqual([403])
    expect(await statusesOf(1, { headers: asleep, remoteAddress: visitor })).toEqual([429])
    expect(await statusesOf(2, { headers: acmeRevoked, remoteAddress: attacker })).toEqual([401, 429])
    expect(await statusesOf(1, { headers: acmeRevoked, remoteAddress: '203.0.113.8' })).toEqual([401])
  })

  it('asks once for a key that no workspace has, and leaves no state behind where the look-up fails', async () => {
    let looks = 0
    const findKey = async () => {
      looks++
      return null
    }
    const lost = { findKey, findWorkspace: () => null }
    app = demoApp({ authentication: { credentials: lost } })
    expect([(await get()).status, looks]).toEqual([401, 1])
    await app.close()
    const away = { findKey: () => Promise.reject(Object.assign(new Error('gone'), { retryable: true })), findWorkspace: () => null }
    app = demoApp({ authentication: { credentials: away } })
    const { status, headers } = await get()
    expect([status, Object.keys(headers)]).toEqual([503, expect.arrayContaining(['x-ratelimit-remaining-tenant'])])
  })

  it('counts the address where no key is presented', async () => {
    limited({ key: 1 })
    await get({ headers: {}, remoteAddress: '10.0.0.1' })
    expect((await get({ headers: {}, remoteAddress: '10.0.0.1' })).status).toBe(429)
    expect((await get({ headers: {}, remoteAddress: '10.0.0.2' })).status).toBe(401)
  })
})

describe('a shared store', () => {
  it('may answer later', async () => {
    const later = { hit: async () => ({ blocked: false, remaining: 7, resetSeconds: 30 }) as const }
    app = demoApp({ counters: { route: later, key: later } })
    expect((await get()).headers).toMatchObject({ 'x-ratelimit-remaining': '7', 'x-ratelimit-reset-tenant': '30' })
  })
  it('that fails is 503, and nothing runs', async () => {
    const broken = { hit: () => Promise.reject(Object.assign(new Error('gone'), { retryable: true })) }
    app = demoApp({ counters: { route: broken, key: broken } })
    expect((await get()).status).toBe(503)
  })
})

describe('the documentation', () => {
  it('is answered with 304 to who has it, and 60 times a minute to an address, whatever others read', async () => {
    app = demoApp()
    for (const url of ['/openapi.json', '/docs', '/docs/start.js', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js']) {
      const ask = (remoteAddress: string, headers = {}) => app.inject({ url, remoteAddress, headers })
      const { headers } = await ask('192.0.2.1')
      const again = await ask('192.0.2.1', { 'if-none-match': String(headers.etag) })
      expect([url, again.statusCode, again.body]).toEqual([url, 304, ''])
      const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await ask('192.0.2.1')).statusCode))
      expect(statuses.filter((status) => status === 429)).toHaveLength(2)
      expect((await ask('192.0.2.2')).statusCode).toBe(200)
      expect(Number((await ask('192.0.2.1')).headers['retry-after'])).toBeGreaterThan(0)
    }
  })
})
