import { expect, it } from 'vitest'
import { ApiProblem, createClient, newKey } from '../../src/api/client.ts'

type AskedCall = Readonly<{ path: string; init: RequestInit }>

/** A client whose questions are kept, each answered by the next of `answers`. */
function clientWith(...answers: readonly (Response | Error)[]) {
  const asked: AskedCall[] = []
  const left = [...answers]
  const client = createClient(async (path, init = {}) => {
    asked.push({ path: String(path), init })
    const next = left.shift()
    if (next instanceof Response) return next
    throw next ?? new Error('asked once more than expected')
  })
  return { client, asked, header: (index: number, name: string) => new Headers(asked[index]?.init.headers).get(name) }
}

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(body === undefined ? null : JSON.stringify(body), { status, headers })

/** The connection breaks while the answer comes. */
const brokenOff = (): Response => new Response(new ReadableStream({ pull: (stream) => stream.error(new TypeError('network error')) }))

it('gives the data of the envelope, and asks below the API of this origin', async () => {
  const { client, asked } = clientWith(answer(200, { success: true, data: { id: 'a' } }))
  expect(await client.read('/dashboard/profiles/a')).toEqual({ id: 'a' })
  expect(asked[0]).toMatchObject({ path: '/api/v1/dashboard/profiles/a', init: { method: 'GET', credentials: 'same-origin' } })
})

it('names the workspace that the page shows, and none where it shows none', async () => {
  const slugs = ['acme', null]
  const named: (string | null)[] = []
  const client = createClient(
    async (_, init) => {
      named.push(new Headers(init?.headers).get('x-tidings-page'))
      return answer(200, { data: null })
    },
    () => slugs[named.length] ?? null,
  )
  await client.write('/dashboard/lists', {})
  await client.read('/auth/session')
  expect(named).toEqual(['acme', null])
})

it.each([
  [
    answer(409, { success: false, message: 'Taken', code: 'tag_name_taken' }, { 'x-request-id': 'r-1' }),
    { status: 409, message: 'Taken', code: 'tag_name_taken', requestId: 'r-1' },
  ],
  [
    answer(401, { success: false, message: 'Authentication required' }),
    { status: 401, message: 'Authentication required', code: null, requestId: null },
  ],
  [new Response('<html>', { status: 502 }), { status: 502, message: 'The service could not be reached.', code: null, retryAfterMs: null }],
  [answer(503, {}, { 'retry-after': '7' }), { status: 503, retryAfterMs: 7_000 }],
  [answer(503, {}, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }), { status: 503, retryAfterMs: 0 }],
  [answer(503, {}, { 'retry-after': 'soon' }), { status: 503, retryAfterMs: null }],
  [brokenOff(), { status: 0, message: 'The service could not be reached.' }],
  [answer(413, undefined), { status: 413, message: 'The service answered 413.' }],
  [answer(400, { message: 7 }), { status: 400, message: 'The service answered 400.' }],
  [new TypeError('Failed to fetch'), { status: 0, message: 'The service could not be reached.' }],
])('says what was refused: %#', async (given, expected) => {
  const problem = await clientWith(given)
    .client.read('/x')
    .catch((error: unknown) => error)
  expect(problem).toBeInstanceOf(ApiProblem)
  expect(problem).toMatchObject(expected)
})

it('asks about what it knows by its ETag, and gives that again on 304', async () => {
  const { client, header } = clientWith(
    answer(200, { data: [1] }, { etag: '"e1"' }),
    new Response(null, { status: 304 }),
    answer(200, { data: [2] }),
  )
  expect(await client.read('/x')).toEqual([1])
  expect(await client.read('/x')).toEqual([1])
  expect(header(1, 'if-none-match')).toBe('"e1"')
  expect(await client.read('/x')).toEqual([2])
})

it('knows fifty answers at most, the newest, and none after the end of a session', async () => {
  const answers = Array.from({ length: 51 }, (_, index) => answer(200, { data: index }, { etag: `"${index}"` }))
  const { client, header } = clientWith(...answers, answer(200, { data: 0 }), answer(200, { data: 50 }), answer(200, { data: 1 }))
  for (let index = 0; index < 51; index++) await client.read(`/${index}`)
  await client.read('/0')
  expect(header(51, 'if-none-match')).toBeNull()
  await client.read('/50')
  expect(header(52, 'if-none-match')).toBe('"50"')
  client.forget()
  await client.read('/1')
  expect(header(53, 'if-none-match')).toBeNull()
})

it('gives each write a key of its own, or the one that its form has kept', async () => {
  const { client, header, asked } = clientWith(
    answer(201, { data: 1 }),
    answer(201, { data: 1 }),
    answer(204, undefined, { 'x-consistency': 'pending' }),
  )
  expect(await client.write('/x', { body: { a: 1 } })).toEqual({ data: 1, isShown: true })
  await client.write('/x', { body: {}, idempotencyKey: 'mine' })
  expect(await client.write('/x', { method: 'DELETE', ifMatch: 'abc' })).toEqual({ data: null, isShown: false })
  expect(asked[0]?.init).toMatchObject({ method: 'POST', body: '{"a":1}' })
  expect(header(0, 'idempotency-key')).toMatch(/^[0-9a-f-]{36}$/)
  expect(header(1, 'idempotency-key')).toBe('mine')
  expect(header(2, 'idempotency-key')).not.toBe(header(0, 'idempotency-key'))
  expect(header(2, 'content-type')).toBeNull()
  expect(header(2, 'if-match')).toBe('"abc"')
})

it('makes keys that are UUIDs of version 4', () => {
  for (let count = 0; count < 100; count++)
    expect(newKey()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
