import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClientCall, ClientResult, ClientSettings } from './driver.ts'
import { drivers } from './drivers.ts'
import { type Fault, type FaultServer, startFaultServer } from './fault-server.ts'

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(async () => {
  await Promise.all(drivers.map(({ stop }) => stop()))
  await server.stop()
})

const accepted = { status: 202, json: { success: true, data: { messageId: 'm-1' } } } as const
const refusal = (message: string, more: object = {}) => ({ success: false, message, ...more })
const send: ClientCall = {
  call: 'messages.sendEmail',
  body: { to: 'ada@example.com', fromEmail: 'hello@demo.example', subject: 'שלום', html: '<p>It works.</p>' },
}
const me: ClientCall = { call: 'me' }
const whoami = { success: true, data: { apiVersion: '2026-01' } }

/** The value of a text that is between the ends, both included. */
const between = (least: number, most: number) => ({ least, most })
type Wait = ReturnType<typeof between>

type Case = Readonly<{
  when: string
  faults: readonly Fault[]
  call?: ClientCall
  settings?: Omit<ClientSettings, 'url'>
  value?: unknown
  error?: Partial<NonNullable<ClientResult['error']>>
  waits?: readonly Wait[]
}>

const second = between(500, 1_000)
const first = between(250, 500)

const cases: readonly Case[] = [
  { when: '429 with Retry-After', faults: [{ status: 429, headers: { 'Retry-After': '7' } }, accepted], waits: [between(7_000, 7_500)] },
  { when: '429 of the key', faults: [{ status: 429, headers: { 'Retry-After-tenant': '3' } }, accepted], waits: [between(3_000, 3_500)] },
  {
    when: '429 with a date, by the clock of the server',
    faults: [{ status: 429, headers: { Date: 'Wed, 01 Jan 2020 00:00:00 GMT', 'Retry-After': 'Wed, 01 Jan 2020 00:00:09 GMT' } }, accepted],
    waits: [between(9_000, 9_500)],
  },
  {
    when: '429 of both buckets',
    faults: [{ status: 429, headers: { 'Retry-After': '2', 'Retry-After-tenant': '11' } }, accepted],
    waits: [between(11_000, 11_500)],
  },
  {
    when: '429 that asks for more than is waited for',
    faults: [{ status: 429, headers: { 'Retry-After': '600' }, json: refusal('Too many verification requests for this number') }],
    error: { name: 'ApiError', status: 429, retryAfterSeconds: 600, attempts: 1 },
  },
  {
    when: '429 that asks for longer than a number holds',
    faults: [{ status: 429, headers: { 'Retry-After': '9'.repeat(400) } }],
    error: { name: 'ApiError', status: 429, retryAfterSeconds: Number.MAX_SAFE_INTEGER, attempts: 1 },
  },
  {
    when: 'a Retry-After with a date of a zone that there is not',
    faults: [{ status: 503, headers: { 'Retry-After': `Wed, 01 Jan 2020 00:00:00 +${'9'.repeat(30)}` } }, accepted],
    waits: [first],
  },
  {
    when: 'a Retry-After that is no number and no date',
    faults: [{ status: 429, headers: { 'Retry-After': 'soon' } }, accepted],
    waits: [first],
  },
  {
    when: 'a Retry-After in the past',
    faults: [{ status: 503, headers: { 'Retry-After': 'Wed, 01 Jan 2020 00:00:00 GMT' } }, accepted],
    waits: [between(0, 500)],
  },
  {
    when: '503 and 500',
    faults: [{ status: 503 }, { status: 500, json: refusal('Internal server error') }, accepted],
    waits: [first, second],
  },
  {
    when: 'a page of a proxy',
    faults: [{ status: 502, text: '<h1>Bad gateway</h1>' }, { status: 504, text: '' }, accepted],
    waits: [first, second],
  },
  {
    when: '503 for ever',
    faults: [{ status: 503, headers: { 'X-Request-Id': 'r-1' }, json: refusal('Service temporarily unavailable, try again later') }],
    error: { name: 'ApiError', status: 503, code: null, requestId: 'r-1', attempts: 5 },
    waits: [first, second, between(1_000, 2_000), between(2_000, 4_000)],
  },
  { when: '503 and no retries', faults: [{ status: 503 }], settings: { retries: 0 }, error: { status: 503, attempts: 1 } },
  {
    when: '408',
    faults: [{ status: 408, headers: { Connection: 'close' }, json: refusal('The request body did not arrive in time') }, accepted],
    waits: [first],
  },
  {
    when: '409 of a request that still runs',
    faults: [
      { status: 409, headers: { 'Retry-After': '1' }, json: refusal('still running', { code: 'idempotency_in_progress' }) },
      accepted,
    ],
    waits: [between(1_000, 1_500)],
  },
  {
    when: 'any other 409',
    faults: [{ status: 409, headers: { 'X-Request-Id': 'r-2' }, json: refusal('taken', { code: 'contact_phone_taken', field: 'phone' }) }],
    error: { name: 'ApiError', status: 409, code: 'contact_phone_taken', requestId: 'r-2', details: { field: 'phone' }, attempts: 1 },
  },
  ...[400, 401, 402, 403, 404].map((status) => ({
    when: `${status}`,
    faults: [{ status, json: refusal('no', { code: 'some_code' }) }],
    error: { name: 'ApiError', status, code: 'some_code', attempts: 1 },
  })),
  {
    when: '413, which is text',
    faults: [{ status: 413, headers: { 'Content-Type': 'text/plain' }, text: 'Payload Too Large' }],
    error: { name: 'ApiError', status: 413, code: null, attempts: 1 },
  },
  { when: '404 with a page', faults: [{ status: 404, text: '<html>' }], error: { name: 'ApiError', status: 404, code: null, details: {} } },
  {
    when: 'errors of another shape',
    faults: [{ status: 400, json: [{ message: 3 }] }],
    error: { name: 'ApiError', status: 400, code: null, details: {} },
  },
  {
    when: 'a success that is a page',
    faults: [{ status: 200, text: '<html>Sign in to the Wi-Fi</html>' }],
    error: { name: 'ApiError', status: 200, attempts: 1 },
  },
  {
    when: 'a success of another service',
    faults: [{ status: 200, json: { ok: true } }],
    error: { name: 'ApiError', status: 200, attempts: 1 },
  },
  {
    when: 'a redirect',
    faults: [{ status: 307, headers: { Location: 'http://127.0.0.1:9/elsewhere' } }],
    error: { name: 'ApiError', attempts: 1 },
  },
  { when: 'a connection that ends before the request is read', faults: [{ cut: 'before' }, accepted], waits: [first] },
  { when: 'a connection that ends before the answer', faults: [{ cut: 'after' }, { cut: 'after' }, accepted], waits: [first, second] },
  { when: 'a connection that ends within the answer', faults: [{ cut: 'within' }, accepted], waits: [first] },
  {
    when: 'connections that always end',
    faults: [{ cut: 'after' }],
    settings: { retries: 1 },
    error: { name: 'ConnectionError', attempts: 2 },
    waits: [first],
  },
  { when: 'a read that is cut', call: me, faults: [{ cut: 'within' }, { status: 200, json: whoami }], value: whoami.data, waits: [first] },
  { when: '204', call: { call: 'webhooks.delete', ids: ['e/1'] }, faults: [{ status: 503 }, { status: 204 }], value: null, waits: [first] },
]

describe.each(drivers)('the $name client', ({ call, name }) => {
  it.each(cases)('after $when', async ({ faults, call: made = send, settings, value, error, waits = [] }) => {
    const run = server.begin(faults)
    const result = await call({ ...settings, url: run.url }, made)
    if (error === undefined) expect(result).toMatchObject({ value: value === undefined ? { messageId: 'm-1' } : value })
    else expect(result).toMatchObject({ error })
    expect(result.waits).toHaveLength(waits.length)
    expect(result.announced).toEqual(result.waits)
    for (const [index, { least, most }] of waits.entries()) {
      expect(result.waits[index]).toBeGreaterThanOrEqual(least)
      expect(result.waits[index]).toBeLessThanOrEqual(most)
    }
    expect(run.seen).toHaveLength(waits.length + 1)
    // Every attempt is the same request under the same key, so that it is carried out once.
    const keys = new Set(run.seen.map(({ headers }) => headers['idempotency-key']))
    expect(keys.size).toBe(1)
    expect([...keys][0]).toEqual(made === me ? undefined : expect.stringMatching(/^[0-9a-f-]{36}$/))
    if (result.error) expect(result.error.idempotencyKey).toBe([...keys][0] ?? null)
    expect(new Set(run.seen.map(({ method, path, headers }) => `${method} ${path} ${headers['x-sender-tenant']}`)).size).toBe(1)
    const bodies = run.seen.filter((_, index) => !('cut' in (faults[index] ?? {}))).map(({ body }) => body)
    if (made === send) for (const body of bodies) expect(JSON.parse(body)).toEqual(send.body)
  })

  it('ends an attempt whose answer never ends, and makes another', async () => {
    const run = server.begin([{ trickle: true }, accepted])
    const result = await call({ url: run.url, timeoutMs: 1_000 }, send)
    expect(result.value).toEqual({ messageId: 'm-1' })
    expect(run.seen.length).toBeGreaterThanOrEqual(2)
    expect(new Set(run.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  it('takes no second answer for that of its next request', async () => {
    const run = server.begin([{ twice: whoami }, { status: 200, json: { success: true, data: { apiVersion: 'the next' } } }])
    expect((await call({ url: run.url }, me)).value).toEqual(whoami.data)
    expect((await call({ url: run.url }, me)).value).toEqual({ apiVersion: 'the next' })
  })

  it('says when no server listens', async () => {
    const gone = await startFaultServer()
    const { url } = gone.begin([accepted])
    await gone.stop()
    expect(await call({ url, retries: 1 }, send)).toMatchObject({
      error: { name: 'ConnectionError', attempts: 2 },
      waits: [expect.any(Number)],
    })
  })

  it('makes a key for each write, and takes one of its caller', async () => {
    const run = server.begin([accepted])
    await call({ url: run.url }, send)
    await call({ url: run.url }, send)
    await call({ url: run.url }, { ...send, options: { idempotencyKey: 'order A-17' } })
    const keys = run.seen.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe('order A-17')
  })

  it('reads all pages, over failures between them', async () => {
    const page = (items: readonly string[], next: string | null) => ({
      status: 200,
      json: { success: true, data: { items, next_cursor: next } },
    })
    const run = server.begin([page(['a', 'b'], '4'), { status: 503 }, page([], '6'), page(['c'], null)])
    const given = await call({ url: run.url }, { call: 'campaigns.each', query: { limit: 2, page: 2, tagIds: ['t-1', 't-2'] } })
    expect(given).toMatchObject({ value: ['a', 'b', 'c'], waits: [expect.any(Number)] })
    const offsets = run.seen.map(({ path }) => new URL(path, 'http://x').searchParams.get('offset'))
    expect(offsets).toEqual([null, '4', '4', '6'])
    expect(run.seen.map(({ path }) => new URL(path, 'http://x').searchParams.get('tagIds'))).toEqual(Array(4).fill('t-1,t-2'))
  })

  it.each(['2', '1', '-1', 'two', '', '1e3', '9'.repeat(30), ' 3'])('ends where the page behind 2 says that %o is next', async (next) => {
    const page = (cursor: string) => ({ status: 200, json: { success: true, data: { items: ['a'], next_cursor: cursor } } })
    const run = server.begin([page('2'), page(next)])
    expect(await call({ url: run.url }, { call: 'campaigns.each' })).toMatchObject({ error: { name: 'WrongUse' } })
    expect(run.seen).toHaveLength(2)
  })

  it.each(['', '.', '..'])('sends nothing for the id %o, which would be another path', async (id) => {
    const run = server.begin([{ status: 204 }])
    expect(await call({ url: run.url }, { call: 'webhooks.delete', ids: [id] })).toMatchObject({ error: { name: 'WrongUse' } })
    expect(run.seen).toEqual([])
  })

  it('sends a connector its own secret, and headers of the caller', async () => {
    const run = server.begin([{ status: 200, json: { success: true, data: {} } }])
    const options = { connectorSecret: 'c-secret', headers: { 'X-Request-Id': 'mine' } }
    await call({ url: run.url, workspace: 'shop' }, { call: 'storeEvents.report', body: { event: 'order.completed' }, options })
    expect(run.seen[0]?.headers).toMatchObject({ 'x-connector-secret': 'c-secret', 'x-request-id': 'mine', 'x-sender-tenant': 'shop' })
  })

  it('escapes what stands in a path', async () => {
    const run = server.begin([{ status: 200, json: { success: true, data: {} } }])
    await call({ url: run.url }, { call: 'profiles.get', ids: ['../me?x=1'] })
    expect(run.seen[0]?.path, name).toBe('/api/v1/public/profiles/..%2Fme%3Fx%3D1')
  })
})
