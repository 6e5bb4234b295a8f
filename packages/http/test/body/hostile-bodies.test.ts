import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Credentials } from '../../src/auth/tenant.ts'
import type { App } from '../../src/bare-app.ts'
import { credentials, demoApp, THING } from '../demo-app.fixture.ts'
import { chunk, chunked, head, hear, json, keyless, manualTimer, wire } from '../wire.fixture.ts'

const KIB = 1024
const LARGE = 64 * KIB + 1
const OPEN = '/open'
const RECEIPTS = '/receipts'

let app: App
let timer: ReturnType<typeof manualTimer>
let findKey: Credentials['findKey']
beforeEach(async () => {
  // A connection with an answer waits two seconds for the rest of its body, in which this process may stand still.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  timer = manualTimer()
  findKey = credentials.findKey
  app = demoApp(
    {
      settings: {
        rateLimits: { default: 3, key: 1_000, forms: 10 },
        trustProxy: '127.0.0.1',
        bodyLimit: 400 * KIB,
        bodyBudget: 2_000 * KIB,
      },
      authentication: { credentials: { ...credentials, findKey: (hash) => findKey(hash) } },
      after: timer.after,
    },
    (api) => {
      const config = { access: 'open', raw: true, throttle: false } as const
      const length = async ({ body }: { body: unknown }) => ({ length: JSON.stringify(body).length })
      api.post(OPEN, { config }, length)
      api.post(RECEIPTS, { config, bodyLimit: 300 * KIB }, length)
    },
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  await app.close()
  vi.useRealTimers()
})
const { dial, say } = wire(() => app)

/** A connection whose answer ends it. */
const begin = async (text: string): Promise<Readonly<{ socket: Socket; answer: Promise<string> }>> => {
  const socket = await dial()
  socket.write(text)
  return { socket, answer: hear(socket) }
}
/** A whole answer, its body included. */
const isWhole = (text: string): boolean => {
  const [head = '', body] = text.split('\r\n\r\n', 2)
  return body !== undefined && body.length >= Number(/^content-length: (\d+)$/im.exec(head)?.[1])
}
/** The answer that a client hears that announces a body and waits for a word before it sends it. */
const heard = async (text: string): Promise<string> => {
  const socket = await dial()
  socket.write(text)
  let said = ''
  // It leaves the loop by closing the connection.
  for await (const chunk of socket) {
    said += chunk
    if (isWhole(said)) break
  }
  return said
}
const closes = /\r\nconnection: close\r\n/i

describe('a body over 64 KiB', () => {
  it('is not read for somebody without a key: 401 before it comes, and the connection is closed', async () => {
    const missing = await heard(keyless('POST', THING, { ...json, 'Content-Length': LARGE }))
    expect(missing).toMatch(/^HTTP\/1\.1 401 [\s\S]*Missing tenant or API key/)
    expect(missing).toMatch(closes)
    const wrong = await heard(head('POST', THING, { ...json, 'Content-Length': LARGE, 'X-API-Key': `sk_evt_${'0'.repeat(64)}` }))
    expect(wrong).toMatch(/^HTTP\/1\.1 401 [\s\S]*X-RateLimit-Limit-tenant[\s\S]*Invalid API key/)
  })
  it('that does not say so is read as far as 64 KiB', async () => {
    expect(await heard(keyless('POST', THING, chunked) + chunk(LARGE))).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close/i)
  })
  it('can be read by a client that goes on sending', async () => {
    const { socket, answer } = await begin(keyless('POST', THING, { ...json, 'Content-Length': 400 * KIB }))
    socket.write('x'.repeat(400 * KIB))
    expect(await answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(socket.errored).toBeNull()
  })
  it('is read for a key, by length or in chunks, and counted once', async () => {
    const body = `{"name":"a"}${' '.repeat(LARGE)}`
    const byLength = await say(head('POST', THING, { ...json, 'Content-Length': body.length, Connection: 'close' }) + body)
    expect(byLength).toMatch(/^HTTP\/1\.1 201 [\s\S]*X-RateLimit-Remaining: 2\r\n/)
    const inChunks = `${head('POST', THING, { ...chunked, Connection: 'close' })}c\r\n{"name":"a"}\r\n${chunk(LARGE)}0\r\n\r\n`
    expect(await say(inChunks)).toMatch(/^HTTP\/1\.1 201 [\s\S]*X-RateLimit-Remaining: 1\r\n/)
  })
  it('is throttled before its key is looked at', async () => {
    const request = keyless('POST', THING, { ...json, 'Content-Length': LARGE })
    for (let n = 0; n < 3; n++) expect(await heard(request)).toMatch(/^HTTP\/1\.1 401 /)
    expect(await heard(request)).toMatch(/^HTTP\/1\.1 429 [\s\S]*connection: close/i)
  })
  it('is 401 where its key is revoked before it has come in', async () => {
    const { socket, answer } = await begin(
      head('POST', THING, { ...json, 'Content-Length': LARGE, Expect: '100-continue', Connection: 'close' }),
    )
    await once(socket, 'data')
    findKey = () => null
    socket.write(`{"name":"a"}${' '.repeat(LARGE - 12)}`)
    expect(await answer).toMatch(/HTTP\/1\.1 401 /)
  })
  it('is 503 where the look-up of its key fails', async () => {
    findKey = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
    expect(await heard(head('POST', THING, { ...json, 'Content-Length': LARGE }))).toMatch(/^HTTP\/1\.1 503 /)
  })
})

describe('a body of at most 64 KiB', () => {
  it('is parsed before the key is asked for', async () => {
    const body = `{${' '.repeat(64 * KIB - 1)}`
    const answer = await say(keyless('POST', THING, { ...json, 'Content-Length': body.length, Connection: 'close' }) + body)
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*Request body is not valid JSON/)
  })
})

describe('a route without a key', () => {
  it.each([
    [OPEN, 64 * KIB],
    [RECEIPTS, 300 * KIB],
  ])('%s takes %i bytes, and one more is 413', async (path, limit) => {
    const post = (length: number) =>
      say(`${keyless('POST', path, { ...json, 'Content-Length': length, Connection: 'close' })}{}${' '.repeat(length - 2)}`)
    expect(await post(limit)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await post(limit + 1)).toMatch(/^HTTP\/1\.1 413 /)
    expect(await heard(keyless('POST', path, chunked) + chunk(limit) + chunk(1))).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('Expect: 100-continue', () => {
  const expecting = { ...json, 'Content-Length': LARGE, Expect: '100-continue' }
  it('hears 100 once its body is wanted, and only then', async () => {
    const { socket, answer } = await begin(head('POST', THING, { ...expecting, Connection: 'close' }))
    const [first] = await once(socket, 'data')
    expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(`{"name":"a"}${' '.repeat(LARGE - 12)}`)
    expect(await answer).toMatch(/HTTP\/1\.1 201 /)
  })
  it.each([
    ['without a key', 401, keyless('POST', THING, expecting)],
    ['of too large a body', 413, head('POST', THING, { ...expecting, 'Content-Length': 8_000 * KIB })],
    ['to an unknown route', 404, head('POST', '/nope', expecting)],
    ['under another content type', 400, head('POST', THING, { ...expecting, 'Content-Type': 'text/plain' })],
  ])('%s hears %i at once', async (_who, status, request) => {
    expect(await heard(request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*connection: close`, 'i'))
  })
  it('of something else is not for us to refuse', async () => {
    expect(await say(keyless('GET', '/health/live', { Expect: 'much', Connection: 'close' }))).toMatch(/^HTTP\/1\.1 200 /)
  })
})
