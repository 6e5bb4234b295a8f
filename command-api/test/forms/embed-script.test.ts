import { createApp } from '@tidings/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { embedScript } from '../../src/forms/embed-script.route.ts'

const nothing = { findKey: () => null, findWorkspace: () => null }
const app = createApp({
  settings: { rateLimits: { default: 1, key: 1, forms: 1 } },
  authentication: { credentials: nothing },
})
beforeAll(async () => {
  app.register(async (pages) => embedScript(pages as typeof app))
  await app.ready()
})
afterAll(() => app.close())

const get = (headers: Readonly<Record<string, string>> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url: '/forms/embed.js', headers })

describe('the script of embedded forms', () => {
  it('is below 6 KB, a script, and kept for an hour', async () => {
    const { statusCode, headers, rawPayload } = await get()
    expect(statusCode).toBe(200)
    expect(rawPayload.length).toBeLessThan(6_000)
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(headers['cache-control']).toBe('public, max-age=3600')
    expect(headers['set-cookie']).toBeUndefined()
    expect(() => new Function(rawPayload.toString())).not.toThrow()
  })

  it('has no eval, no inline style, no markup and no storage', async () => {
    expect((await get()).payload).not.toMatch(
      /\beval\b|new Function|innerHTML|insertAdjacentHTML|document\.write|setAttribute\('style'|cookie|Storage/,
    )
  })

  it('is not sent again to a browser that has it', async () => {
    const etag = String((await get()).headers.etag)
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { statusCode, headers, payload } = await get({ 'if-none-match': known })
      expect([statusCode, payload, headers.etag, headers['cache-control']]).toEqual([304, '', etag, 'public, max-age=3600'])
    }
    for (const other of ['"other"', etag.slice(1, -1), '']) expect((await get({ 'if-none-match': other })).statusCode).toBe(200)
  })

  it('is not throttled, and has a HEAD', async () => {
    for (let n = 0; n < 50; n++) expect((await get()).statusCode).toBe(200)
    const { statusCode, payload } = await get({}, 'HEAD')
    expect([statusCode, payload]).toEqual([200, ''])
  })
})
