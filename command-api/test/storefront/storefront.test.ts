import { createApp } from '@tidings/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storefront } from '../../src/storefront/storefront.ts'

const KEY = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'
const nothing = { findKey: () => null, findWorkspace: () => null }
const appWith = (publicKey: string | null) => {
  const app = createApp({
    settings: { rateLimits: { default: 1, key: 1, forms: 1 } },
    authentication: { credentials: nothing },
  })
  app.register(storefront({ publicKey }))
  return app
}
const app = appWith(KEY)
const other = appWith('B-other')
const without = appWith(null)
beforeAll(() => Promise.all([app.ready(), other.ready(), without.ready()]))
afterAll(() => Promise.all([app.close(), other.close(), without.close()]))

const get = (url: string, headers: Readonly<Record<string, string>> = {}, from = app) => from.inject({ url, headers })

describe.each([
  ['/storefront/sdk.js', 6_000],
  ['/storefront/push-sw.js', 4_000],
])('%s', (path, most) => {
  it('is small, a script, public, and kept for an hour', async () => {
    const { statusCode, headers, rawPayload } = await get(path)
    expect(statusCode).toBe(200)
    expect(rawPayload.length).toBeLessThan(most)
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(headers['set-cookie']).toBeUndefined()
    expect(() => new Function(rawPayload.toString())).not.toThrow()
  })

  it('has no eval, no markup, no cookie, and nothing of its source files', async () => {
    expect((await get(path)).payload).not.toMatch(
      /\beval\b|new Function|innerHTML|document\.write|cookie|localStorage|^import |^export |PUBLIC_KEY/m,
    )
  })

  it('carries the public key, or null where there is none', async () => {
    expect((await get(path)).payload).toContain(`const publicKey = "${KEY}"\n`)
    expect((await get(path, {}, without)).payload).toContain('const publicKey = null\n')
  })

  it('is not sent again to a browser that has it, but is under another key', async () => {
    const etag = String((await get(path)).headers.etag)
    const again = await get(path, { 'if-none-match': etag })
    expect([again.statusCode, again.payload, again.headers.etag]).toEqual([304, '', etag])
    expect((await get(path, { 'if-none-match': etag }, other)).statusCode).toBe(200)
  })

  it('is not throttled, and has a HEAD', async () => {
    for (let n = 0; n < 50; n++) expect((await get(path)).statusCode).toBe(200)
    const { statusCode, payload } = await app.inject({ method: 'HEAD', url: path })
    expect([statusCode, payload]).toEqual([200, ''])
  })
})

it('lets the worker, and nothing else, have the whole origin as its scope', async () => {
  expect((await get('/storefront/push-sw.js')).headers['service-worker-allowed']).toBe('/')
  expect((await get('/storefront/sdk.js')).headers['service-worker-allowed']).toBeUndefined()
})
