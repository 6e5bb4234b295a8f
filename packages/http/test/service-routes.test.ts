import { Type } from '@sinclair/typebox'
import { Refused } from '@tidings/domain'
import { afterEach, describe, expect, it } from 'vitest'
import type { App } from '../src/bare-app.ts'
import { openApiText } from '../src/openapi/documentation.ts'
import { A_UUID, acme, demoApp, THING } from './demo-app.fixture.ts'

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
    expect(Object.keys(rename.responses)).toEqual(['200', '400', '401', '403', '408', '409', '413', '429', '500', '503'])
    expect(rename.responses['413']).toEqual({ $ref: '#/components/responses/BodyTooLarge' })
    expect(Object.keys(api.components.responses.BodyTooLarge.content)).toEqual(['text/plain'])
    expect(rename.requestBody.content['application/json'].schema.additionalProperties).toBe(false)
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

describe('a refusal', () => {
  it('with a code that its route does not declare is answered, and counted', async () => {
    app = demoApp({}, (api) => {
      api.get('/api/v1/silent', { config: { refusals: ['message_not_found'] } }, () => Promise.reject(new Refused('tag_limit_reached')))
      api.get('/api/v1/honest', { config: { refusals: ['tag_limit_reached'] } }, () => Promise.reject(new Refused('tag_limit_reached')))
    })
    expect((await app.inject({ url: '/api/v1/silent', headers: acme })).statusCode).toBe(400)
    expect((await app.inject({ url: '/api/v1/honest', headers: acme })).statusCode).toBe(400)
    const { body } = await app.inject('/metrics')
    expect(body).toContain('http_undeclared_refusals_total{route="GET /api/v1/silent",code="tag_limit_reached"} 1')
    expect(body).not.toContain('/api/v1/honest",code=')
  })
})

describe('two schemas of one name', () => {
  it('are refused when the document is made', async () => {
    app = demoApp({}, (api) => {
      const named = (data: object) => ({ schema: { response: { 200: Type.Object({ data: Type.Unsafe(data) }, { title: 'Twice' }) } } })
      api.get('/api/v1/one', named({ type: 'string' }), async () => ({ data: '' }))
      api.get('/api/v1/other', named({ type: 'integer' }), async () => ({ data: 1 }))
    })
    await app.ready()
    expect(() => openApiText(app)).toThrow('two schemas of the API are named Twice')
  })
})

describe('/docs', () => {
  it.each(['/docs/', '/docs/?deep=/a'])('leads from %s to itself, also behind a path prefix: its links are relative', async (url) => {
    app = demoApp()
    const { statusCode, headers } = await app.inject(url)
    expect(statusCode).toBe(308)
    expect(new URL(headers.location ?? '', `https://news.example/tidings${url}`).href).toBe('https://news.example/tidings/docs')
    expect((await app.inject('/docs?deep=/a/')).statusCode).toBe(200)
  })

  it('is a page that loads nothing from elsewhere, and its files can be cached', async () => {
    app = demoApp()
    const answer = await app.inject('/docs')
    const links = [...answer.body.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, link = '']) => link)
    expect(links).toHaveLength(3)
    for (const link of links) {
      // A proxy that strips a prefix has handed on what follows it.
      const behind = new URL(link, 'https://news.example/tidings/docs')
      expect(behind.pathname).toMatch(/^\/tidings\/docs\//)
      const path = behind.pathname.slice('/tidings'.length)
      const { statusCode, headers } = await app.inject(path)
      expect([path, statusCode, headers['cache-control']]).toEqual([path, 200, 'public, max-age=3600'])
      expect((await app.inject({ url: path, headers: { 'if-none-match': String(headers.etag) } })).statusCode).toBe(304)
    }
    expect(answer.headers['content-type']).toContain('text/html')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect(answer.body).not.toMatch(/https?:\/\//)
  })
  it('reads the document beside it, wherever a proxy puts both', async () => {
    app = demoApp()
    const { body } = await app.inject('/docs/start.js')
    const [, url = ''] = /url: '([^']+)'/.exec(body) ?? []
    expect(new URL(url, 'https://news.example/a/b/docs').href).toBe('https://news.example/a/b/openapi.json')
  })
  it('sends requests to the public address with its prefix where one is configured, else to where the document came from', async () => {
    const serversOf = async (publicUrl?: string) => {
      app = demoApp({ settings: { rateLimits: { default: 1_000, key: 1_000, forms: 10 }, ...(publicUrl && { publicUrl }) } })
      const { servers } = (await app.inject('/openapi.json')).json()
      await app.close()
      return servers.map(({ url }: { url: string }) => url)
    }
    expect(await serversOf('https://news.example/tidings')).toEqual(['https://news.example/tidings'])
    expect(await serversOf()).toEqual(['/'])
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
