import { Type } from '@sinclair/typebox'
import { afterEach, describe, expect, it } from 'vitest'
import type { App } from './bare-app.ts'
import { A_UUID, acme, demoApp, THING } from './demo-app.fixture.ts'
import { openApiText } from './openapi.ts'

let app: App
afterEach(() => app.close())

describe('/health/ready', () => {
  it('is 200 when every check resolves', async () => {
    app = demoApp({ ready: { postgres: async () => undefined } })
    const answer = await app.inject('/health/ready')
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ready' }])
  })
  it('names what is not ready and why', async () => {
    app = demoApp({ ready: { postgres: () => Promise.reject(new Error('connection refused')), log: async () => undefined } })
    const answer = await app.inject('/health/ready')
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      { status: 'not ready', notReady: [{ name: 'postgres', reason: 'connection refused' }] },
    ])
    expect((await app.inject('/health/live')).statusCode).toBe(200)
  })
  it('asks each check once at a time, however many want to know', async () => {
    const { promise: answer, resolve: finish } = Promise.withResolvers<void>()
    let asked = 0
    app = demoApp({
      ready: {
        postgres: () => {
          asked++
          return answer
        },
      },
    })
    await app.ready()
    const answers = Array.from({ length: 50 }, () => app.inject('/health/ready'))
    await expect.poll(() => asked).toBeGreaterThan(0)
    // Those fifty have all come in before this one, which they do not wait for, is answered.
    await app.inject('/health/live')
    finish()
    expect(new Set((await Promise.all(answers)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(asked).toBe(1)
    await app.inject('/health/ready')
    expect(asked).toBe(2)
  })
})

describe('/metrics', () => {
  it('has a histogram by route, not by URL, and the process', async () => {
    app = demoApp({}, (api) => {
      api.get('/api/v1/measured/:id', async () => ({}))
    })
    await app.inject({ url: '/api/v1/measured/1', headers: acme })
    await app.inject({ url: '/api/v1/measured/2', headers: acme })
    await app.inject('/unknown')
    const answer = await app.inject('/metrics')
    expect(answer.headers['content-type']).toContain('text/plain')
    expect(answer.body).toContain('http_request_duration_seconds_count{method="GET",route="/api/v1/measured/:id",status="200"} 2')
    expect(answer.body).toMatch(/^http_unknown_route_total [1-9]/m)
    expect(answer.body).toMatch(/^process_resident_memory_bytes \d+/m)
    expect(answer.body).not.toContain('/measured/1')
  })
})

describe('/openapi.json', () => {
  it('is OpenAPI 3.1 of the routes that take a key, with envelope and errors', async () => {
    app = demoApp({}, (api) => {
      const schema = {
        operationId: 'things.rename',
        body: Type.Object({ name: Type.String() }),
        response: { 200: Type.Object({ ok: Type.Boolean() }) },
      }
      api.patch(THING, { schema }, async () => ({ ok: true }))
    })
    const answer = await app.inject('/openapi.json')
    const api = answer.json()
    expect(api.openapi).toBe('3.1.0')
    const rename = api.paths[THING].patch
    expect(rename.operationId).toBe('things.rename')
    expect(rename.security).toEqual([{ tenant: [], key: [] }])
    expect(Object.keys(rename.responses)).toEqual(['200', '400', '401', '403', '404', '409', '413', '429', '503'])
    expect(Object.keys(rename.responses['413'].content)).toEqual(['text/plain'])
    expect(Object.keys(api.paths[THING].get.responses)).not.toContain('409')
    expect(rename.responses['200'].content['application/json'].schema.required).toEqual(['success', 'data'])
    expect(api.paths).not.toHaveProperty('/metrics')
    expect(answer.body).toBe(openApiText(app))
  })
  it('documents errors without compiling them into the answers', async () => {
    app = demoApp()
    const answer = await app.inject({ url: `${THING}/7`, headers: acme })
    expect(answer.body).toBe('{"success":false,"message":"Validation failed (uuid is expected)"}')
  })
})

describe('/docs', () => {
  it('is one page that loads nothing from elsewhere', async () => {
    app = demoApp()
    const answer = await app.inject('/docs')
    expect(answer.headers['content-type']).toContain('text/html')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect(answer.body).not.toMatch(/https?:\/\//)
  })
})

describe('these routes', () => {
  it('are neither throttled nor authenticated', async () => {
    app = demoApp({ settings: { rateLimits: { default: 1, key: 1, forms: 1 } } })
    for (const url of ['/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs']) {
      expect([(await app.inject(url)).statusCode, (await app.inject(url)).statusCode]).toEqual([200, 200])
    }
    expect((await app.inject({ url: `${THING}/${A_UUID}`, headers: acme })).statusCode).toBe(200)
  })
})
