import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { runTidings } from './support/service-process.ts'
import { startWorld, type World } from './support/world.ts'

const UNTHROTTLED = ['/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs', '/dev/outbox']

let world: World
let acme: Client

beforeAll(async () => {
  world = await startWorld({ TIDINGS_RATE_LIMIT_DEFAULT: '4', TIDINGS_RATE_LIMIT_KEY: '20' })
  acme = await world.workspace('acme')
})
afterAll(() => world.stop())

const rates = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-ratelimit') || name.startsWith('retry-after')))

describe('rate limits', () => {
  it('are in every answer that was counted, of a refused caller and a wrong request too', async () => {
    const wrongKey = await acme.request('GET', '/public/me', undefined, { 'X-API-Key': `sk_evt_${'0'.repeat(64)}` })
    expect(wrongKey.status).toBe(401)
    expect(Object.keys(rates(wrongKey.headers)).sort()).toEqual([
      'x-ratelimit-limit',
      'x-ratelimit-limit-tenant',
      'x-ratelimit-remaining',
      'x-ratelimit-remaining-tenant',
      'x-ratelimit-reset',
      'x-ratelimit-reset-tenant',
    ])
    const { status, headers } = await acme.request('GET', '/public/me?x=1')
    expect(status).toBe(400)
    expect(rates(headers)).toMatchObject({
      'x-ratelimit-limit': '4',
      'x-ratelimit-remaining': '2',
      'x-ratelimit-limit-tenant': '20',
      'x-ratelimit-remaining-tenant': '19',
    })
  })

  it('block a route by address, before the key is asked for, and no other route', async () => {
    const list = (key: string) => acme.request('GET', '/public/messages', undefined, { 'X-API-Key': key })
    for (let i = 0; i < 4; i++) expect((await list(acme.key)).status).toBe(200)
    const blocked = await list('nonsense')
    expect(outcome(blocked)).toEqual(uncoded(429, 'Too many requests, please try again later'))
    expect(Object.keys(rates(blocked.headers))).toEqual(['retry-after'])
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await acme.request('GET', '/public/templates')).status).toBe(200)
  })

  it('count nothing that was refused before a route was found or a body was read', async () => {
    const malformed = await acme.request('PUT', '/public/profiles', '{')
    expect([malformed.status, rates(malformed.headers)]).toEqual([400, {}])
    const unknown = await acme.request('GET', '/public/nowhere')
    expect([unknown.status, rates(unknown.headers)]).toEqual([404, {}])
  })
})

describe('the request id', () => {
  it.each(['a', 'A-b_9', 'x'.repeat(64)])('%s is echoed', async (id) => {
    const { headers } = await acme.request('GET', '/public/nowhere', undefined, { 'X-Request-Id': id })
    expect(headers.get('x-request-id')).toBe(id)
  })

  it.each(['', 'two words', 'a/b', 'x'.repeat(65)])('%j is replaced', async (id) => {
    const { headers } = await acme.request('GET', '/public/nowhere', undefined, { 'X-Request-Id': id })
    expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(headers.get('x-request-id')).not.toBe(id)
  })
})

describe('beside the API', () => {
  it.each(UNTHROTTLED)('%s answers anybody, as often as they ask', async (path) => {
    for (let i = 0; i < 6; i++) {
      const { status, headers } = await fetch(`${world.url}${path}`)
      // A machine that stands still for a moment is not ready, and says so.
      if (path === '/health/ready') expect([200, 503]).toContain(status)
      else expect(status).toBe(200)
      expect(rates(headers)).toEqual({})
      expect(headers.get('x-request-id')).toBeTruthy()
    }
  })

  it('nothing may be called from a page of another origin', async () => {
    const { headers } = await acme.request('GET', '/public/sender-addresses', undefined, { Origin: 'https://evil.example' })
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    const preflight = await fetch(`${world.url}/api/v1/public/profiles`, { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } })
    expect(preflight.status).toBe(404)
  })

  it('the outbox is none in production', async () => {
    const production = await startWorld({ NODE_ENV: 'production', TIDINGS_ALLOW_OUTBOX: '1' })
    const statuses = [
      await fetch(`${production.url}/dev/outbox`),
      await fetch(`${production.url}/dev/outbox`, { method: 'DELETE' }),
      await fetch(`${production.url}/health/live`),
    ].map(({ status }) => status)
    await production.stop()
    expect(statuses).toEqual([404, 404, 200])
  })

  it('the outbox is unknown to callers of other machines', async () => {
    const proxied = await startWorld({ TIDINGS_TRUST_PROXY: 'loopback' })
    const get = (forwarded: string, path = '/dev/outbox') => fetch(proxied.url + path, { headers: { 'X-Forwarded-For': forwarded } })
    const [here, elsewhere, unknown] = [await get('127.0.0.1'), await get('203.0.113.5'), await get('203.0.113.5', '/dev/nothing')]
    const report = await fetch(`${proxied.url}/dev/outbox/${crypto.randomUUID()}/report`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': '203.0.113.5', 'Content-Type': 'application/json' },
      body: '{"status":"bounced"}',
    })
    const received = (await elsewhere.text()).replace('/dev/outbox', '/dev/nothing')
    expect([here.status, elsewhere.status, unknown.status, report.status]).toEqual([200, 404, 404, 404])
    expect(received).toBe(await unknown.text())
    expect(await report.json()).toMatchObject({ message: expect.stringMatching(/^Cannot POST \/dev\/outbox/) })
    await proxied.stop()
  })

  it('a start in production that would send nothing is refused in one sentence', async () => {
    const ran = await runTidings(['start'], { NODE_ENV: 'production', PORT: '0', TIDINGS_DATA_DIR: '/proc/nowhere' })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(
      /^TIDINGS_EMAIL_PROVIDER must be set when NODE_ENV is production, [^\n]*TIDINGS_ALLOW_OUTBOX=email allows it\.\n$/,
    )
  })
})
