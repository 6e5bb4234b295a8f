import { Type } from '@sinclair/typebox'
import { Refused } from '@tidings/domain'
import { afterEach, describe, expect, it } from 'vitest'
import { A_UUID, acme, demoApp, THING } from './demo-app.fixture.ts'

let app = demoApp()
afterEach(async () => {
  await app.close()
  app = demoApp()
})

const json = { 'content-type': 'application/json' }

describe('the envelope', () => {
  it('wraps what a handler returns, and writes only what the schema declares', async () => {
    const answer = await app.inject({ url: `${THING}/${A_UUID}`, headers: acme })
    expect(answer.json()).toEqual({ success: true, data: { id: A_UUID } })
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })
  it('is left out of a 204 and of raw routes', async () => {
    const deleted = await app.inject({ method: 'DELETE', url: `${THING}/${A_UUID}`, headers: acme })
    expect([deleted.statusCode, deleted.body]).toEqual([204, ''])
    expect((await app.inject({ url: '/health/live' })).json()).toEqual({ status: 'live' })
  })
  it('puts the code of a refusal and its scalar context beside the message', async () => {
    app = demoApp({}, (api) => {
      api.get('/api/v1/refused', async () => {
        throw new Refused('tag_limit_reached', { limit: 200, names: ['a', 'b'], statusCode: 1, success: true })
      })
    })
    const answer = await app.inject({ url: '/api/v1/refused', headers: acme })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      success: false,
      message: 'The workspace already has 200 tags',
      code: 'tag_limit_reached',
      limit: 200,
      names: ['a', 'b'],
    })
  })
  it('keeps the text of an unexpected error inside', async () => {
    app = demoApp({}, (api) => {
      api.get('/api/v1/broken', { schema: { response: { 200: Type.Object({}) } } }, async () => {
        throw new Error('secret detail')
      })
    })
    const answer = await app.inject({ url: '/api/v1/broken', headers: acme })
    expect([answer.statusCode, answer.json()]).toEqual([500, { success: false, message: 'Internal server error' }])
  })
  it('answers what may pass with 503 and Retry-After', async () => {
    app = demoApp({}, (api) => {
      api.get('/api/v1/away', async () => {
        throw Object.assign(new Error('store is away'), { retryable: true })
      })
    })
    const answer = await app.inject({ url: '/api/v1/away', headers: acme })
    expect(answer.statusCode).toBe(503)
    expect(answer.headers['retry-after']).toBe('1')
    expect(answer.json()).toEqual({ success: false, message: 'Service temporarily unavailable, try again later' })
  })
})

describe('an unknown route', () => {
  it('answers Express’s sentence with the query, without a key and without counting', async () => {
    const answer = await app.inject({ url: '/api/v1/nope?x=1' })
    expect([answer.statusCode, answer.json()]).toEqual([404, { success: false, message: 'Cannot GET /api/v1/nope?x=1' }])
    expect(answer.headers).not.toHaveProperty('x-ratelimit-limit')
    expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  })
  it('is what a known path with another method is', async () => {
    const answer = await app.inject({ method: 'PUT', url: THING, headers: acme, payload: {} })
    expect([answer.statusCode, answer.json().message]).toEqual([404, `Cannot PUT ${THING}`])
  })
  it('comes before the body: malformed JSON is 404 there too', async () => {
    const answer = await app.inject({ method: 'POST', url: '/api/v1/nope', headers: json, payload: '{' })
    expect([answer.statusCode, answer.json().message]).toEqual([404, 'Cannot POST /api/v1/nope'])
  })
})

describe('the order of checks', () => {
  it('is body, throttle, key, validation', async () => {
    app = demoApp({ settings: { rateLimits: { default: 2, key: 'off', forms: 10 } } })
    const post = (payload: string, headers = {}) => app.inject({ method: 'POST', url: THING, headers: { ...json, ...headers }, payload })
    const malformed = await post('{')
    expect([malformed.statusCode, malformed.headers['x-ratelimit-limit']]).toEqual([400, undefined])
    const anonymous = await post('{"nope":1}')
    expect([anonymous.statusCode, anonymous.headers['x-ratelimit-remaining']]).toEqual([401, '1'])
    const invalid = await post('{"nope":1}', acme)
    expect([invalid.statusCode, invalid.json().message, invalid.headers['x-ratelimit-remaining']]).toEqual([
      400,
      'property nope should not exist',
      '0',
    ])
    expect((await post('{"name":"ok"}', acme)).statusCode).toBe(429)
    expect((await post('{')).statusCode).toBe(400)
  })
  it('puts params before body', async () => {
    const answer = await app.inject({ method: 'DELETE', url: `${THING}/7`, headers: acme, payload: { x: 1 } })
    expect(answer.json().message).toBe('Validation failed (uuid is expected)')
  })
})

describe('what a route does not declare', () => {
  it('is refused in its query and in its body', async () => {
    const query = await app.inject({ url: `/api/v1/me?debug=1`, headers: acme })
    expect([query.statusCode, query.json().message]).toEqual([400, 'property debug should not exist'])
    const body = await app.inject({ method: 'DELETE', url: `${THING}/${A_UUID}`, headers: acme, payload: { force: true } })
    expect([body.statusCode, body.json().message]).toEqual([400, 'property force should not exist'])
  })
})

describe('X-Request-Id', () => {
  const idOf = async (headers: Record<string, string>, url = `${THING}/${A_UUID}`) =>
    (await app.inject({ url, headers: { ...acme, ...headers } })).headers['x-request-id']

  it('is echoed when it is 1 to 64 letters, digits, - or _', async () => {
    expect(await idOf({ 'x-request-id': 'Order_12-a' })).toBe('Order_12-a')
    expect(await idOf({ 'x-request-id': 'x'.repeat(64) })).toBe('x'.repeat(64))
  })
  it('is replaced by one of the same form otherwise', async () => {
    for (const bad of ['', 'a b', 'ä', 'x'.repeat(65), 'a,b']) {
      const id = await idOf({ 'x-request-id': bad })
      expect(id).not.toBe(bad)
      expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    }
  })
  it('stands on every early answer', async () => {
    const own = { 'x-request-id': 'mine' }
    const early = [
      await app.inject({ url: '/nope', headers: own }),
      await app.inject({ url: '/%zz', headers: own }),
      await app.inject({ method: 'POST', url: THING, headers: { ...own, ...json }, payload: '{' }),
      await app.inject({ method: 'POST', url: THING, headers: { ...own, ...json }, payload: ' '.repeat(9_000_000) }),
      await app.inject({ url: THING, headers: own }),
    ]
    expect(early.map((answer) => [answer.statusCode, answer.headers['x-request-id']])).toEqual([
      [404, 'mine'],
      [400, 'mine'],
      [400, 'mine'],
      [413, 'mine'],
      [401, 'mine'],
    ])
  })
})

describe('a trailing slash', () => {
  it('is the same route', async () => {
    expect((await app.inject({ url: `${THING}/${A_UUID}/`, headers: acme })).statusCode).toBe(200)
  })
})
