import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Type } from '@sinclair/typebox'
import { until } from '@tidings/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { App } from '../src/bare-app.ts'
import type { AfterTimeout } from '../src/body/body-rate.ts'
import { hasLeft } from '../src/client/has-left.ts'
import { closeGracefully } from '../src/graceful-close.ts'
import { acme, demoApp, THING } from './demo-app.fixture.ts'
import { head, hear, json, keyless, wire } from './wire.fixture.ts'

let app: App
const settings = { rateLimits: { default: 60, key: 1_200, forms: 10 }, bodyLimit: 1_000, bodyBudget: 1_500 }
beforeEach(async () => {
  app = demoApp({ settings })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => app.close())

const { dial, say } = wire(() => app)

describe('header names on the wire', () => {
  it('are written as integrators have seen them', async () => {
    const answer = await say(head('GET', THING, { Connection: 'close' }))
    for (const name of [
      'X-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-RateLimit-Limit-tenant',
      'X-RateLimit-Remaining-tenant',
      'X-RateLimit-Reset-tenant',
    ]) {
      expect(answer).toContain(`\r\n${name}: `)
    }
  })
})

describe('a client that asked and left', () => {
  it('has left, and one that waits has not', async () => {
    const asked: (() => boolean)[] = []
    const all = Promise.withResolvers<void>()
    const served = demoApp({ settings }, (api) => {
      api.post('/api/v1/count', { schema: { body: Type.Object({ n: Type.Integer() }) }, config: { access: 'open' } }, async (request) => {
        asked.push(() => hasLeft(request))
        if (asked.length === 2) all.resolve()
        await new Promise(() => undefined)
      })
    })
    await served.listen({ port: 0, host: '127.0.0.1' })
    const { dial: call } = wire(() => served)
    const body = '{"n":1}'
    const [stays, leaves] = [await call(), await call()]
    for (const socket of [stays, leaves])
      socket.write(`${keyless('POST', '/api/v1/count', { ...json, 'Content-Length': body.length })}${body}`)
    await all.promise
    expect(asked.map((left) => left())).toEqual([false, false])
    leaves.destroy()
    await until(async () => expect(asked.filter((left) => left())).toHaveLength(1))
    stays.destroy()
    await served.close()
  })
})

describe('a body that is too large', () => {
  const expected = /^HTTP\/1\.1 413 Payload Too Large\r\n/
  // The connection waits two seconds for the rest of the body, in which this process may stand still.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('by its Content-Length is plain text on a connection that closes, without rate headers', async () => {
    const answer = await say(head('POST', THING, { ...json, 'Content-Length': 1_001 }) + 'x'.repeat(1_001))
    expect(answer).toMatch(expected)
    expect(answer).toMatch(/\r\ncontent-type: text\/plain\r\n/i)
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
    expect(answer).toMatch(/\r\nX-Request-Id: /)
    expect(answer).not.toMatch(/ratelimit/i)
    expect(answer.endsWith('\r\n\r\nPayload Too Large')).toBe(true)
  })
  it('is answered before it has come in, and the client that goes on sending can read it', async () => {
    const socket = await dial()
    socket.write(head('POST', THING, { ...json, 'Content-Length': 4_000_000 }))
    const [first] = await once(socket, 'data')
    expect(String(first)).toMatch(expected)
    for (let sent = 0; sent < 4_000_000; sent += 100_000) socket.write('x'.repeat(100_000))
    const [ended] = await Promise.all([once(socket, 'close'), hear(socket)])
    expect(ended[0]).toBe(false)
  })
  it('in chunks is refused when the limit is passed', async () => {
    const chunk = `258\r\n${'x'.repeat(600)}\r\n`
    expect(await say(`${head('POST', THING, { ...json, 'Transfer-Encoding': 'chunked' })}${chunk}${chunk}0\r\n\r\n`)).toMatch(expected)
  })
  it('is refused on an unknown route and under another content type, too', async () => {
    const body = 'x'.repeat(1_001)
    expect(await say(head('POST', '/nope', { ...json, 'Content-Length': 1_001 }) + body)).toMatch(expected)
    expect(await say(head('POST', THING, { 'Content-Type': 'text/plain', 'Content-Length': 1_001 }) + body)).toMatch(expected)
  })
})

describe('the bodies of all requests together', () => {
  const most = head('POST', THING, { ...json, 'Content-Length': 900, Connection: 'close' })

  it('are bounded: over the budget is 503, and what is held is given back', async () => {
    const slow = await dial()
    slow.write(most + ' '.repeat(899))
    await expect.poll(() => say(most + ' '.repeat(900))).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n/)
    slow.destroy()
    await expect.poll(() => say(most + ' '.repeat(900))).toMatch(/^HTTP\/1\.1 400 /)
  })
  it('are given back after every answer on a connection that stays open', async () => {
    const socket = await dial()
    const body = JSON.stringify({ name: 'a'.repeat(700) })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    for (let n = 1; n <= 5; n++) {
      socket.write(head('POST', THING, { ...json, 'Content-Length': body.length }) + body)
      await expect.poll(() => text.match(/HTTP\/1\.1 400 /g)?.length).toBe(n)
    }
    expect(text).not.toMatch(/connection: close/i)
    socket.destroy()
  })
})

describe('malformed JSON', () => {
  it('does not cost the connection', async () => {
    const answer = await say(
      `${head('POST', THING, { ...json, 'Content-Length': 1 })}{${head('GET', '/health/live', { Connection: 'close' })}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*Request body is not valid JSON[\s\S]*HTTP\/1\.1 200 /)
  })
})

describe('what is not HTTP', () => {
  it('is 400 in the envelope, with a request id', async () => {
    const answer = await say('NONSENSE\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toMatch(/\r\nX-Request-Id: [A-Za-z0-9_-]{1,64}\r\n/)
    expect(answer.endsWith('{"success":false,"message":"The request is not valid HTTP"}')).toBe(true)
  })
  it.each([
    ['GET of a route', `GET ${THING} HTTP/1.1\r\n\r\n`],
    ['GET of no route', 'GET /nope HTTP/1.1\r\n\r\n'],
    ['POST with a body', `POST ${THING} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`],
    ['POST that asks before its body', `POST ${THING} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`],
  ])('is a %s without a Host', async (_, request) => {
    const answer = await say(request)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toMatch(/\r\nX-Request-Id: [A-Za-z0-9_-]{1,64}\r\n/)
    expect(answer).toMatch(/\r\nconnection: close\r\n/)
    expect(answer.endsWith('{"success":false,"message":"The request is not valid HTTP"}')).toBe(true)
  })
  it('is no HTTP/1.0 without a Host', async () => {
    expect(await say('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })
  it('is 400 where the headers are too large', async () => {
    const answer = await say(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(answer.endsWith('{"success":false,"message":"Request headers are too large"}')).toBe(true)
  })
})

describe('closing', () => {
  const slowApp = async (boundMs: number, work: Promise<void>) => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    const slow = demoApp({ settings }, (api) => {
      api.get('/api/v1/slow', async () => {
        start()
        await work
        return { done: true }
      })
    })
    await slow.listen({ port: 0, host: '127.0.0.1' })
    const answer = fetch(`http://127.0.0.1:${(slow.server.address() as AddressInfo).port}/api/v1/slow`, { headers: acme })
    await started
    return { answer, closed: closeGracefully(slow, { boundMs }) }
  }
  it('lets a running request finish, whose connection closes with its answer', async () => {
    const { promise: work, resolve: finish } = Promise.withResolvers<void>()
    const { answer, closed } = await slowApp(3_600_000, work)
    finish()
    const finished = await answer
    expect(finished.headers.get('connection')).toBe('close')
    expect(await finished.json()).toEqual({ success: true, data: { done: true } })
    await closed
  })
  it('takes requests while it drains, closes each connection with its answer, and is not ready', async () => {
    const drain = Promise.withResolvers<void>()
    const after: AfterTimeout = (_, run) => {
      void drain.promise.then(run)
      return () => undefined
    }
    const draining = demoApp({ settings })
    await draining.listen({ port: 0, host: '127.0.0.1' })
    const url = `http://127.0.0.1:${(draining.server.address() as AddressInfo).port}`
    const get = (path: string) => fetch(`${url}${path}`, { headers: acme })
    expect((await get('/api/v1/me')).headers.get('connection')).toBe('keep-alive')
    const closed = closeGracefully(draining, { drainMs: 3_600_000, after })
    const notReady = await get('/health/ready')
    expect([notReady.status, await notReady.json()]).toEqual([
      503,
      { status: 'not ready', notReady: [{ name: 'service', reason: 'shutting down' }] },
    ])
    for (const path of ['/api/v1/me', '/nope', '/health/live']) {
      const answer = await get(path)
      await answer.text()
      expect([path, answer.status, answer.headers.get('connection')]).toEqual([path, path === '/nope' ? 404 : 200, 'close'])
    }
    drain.resolve()
    await closed
    await expect(get('/health/live')).rejects.toThrow()
  })
  it('cuts it at the bound', async () => {
    const { answer, closed } = await slowApp(50, new Promise(() => undefined))
    await expect(answer).rejects.toThrow()
    await closed
  })
})
