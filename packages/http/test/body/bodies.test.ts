import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../src/bare-app.ts'
import { acme, demoApp, THING } from '../demo-app.fixture.ts'

let app: App
beforeAll(() => {
  app = demoApp({}, (api) => {
    api.post('/api/v1/free', { schema: { body: { type: 'object', properties: { any: { type: 'object' } } } } }, async ({ body }) => body)
    api.post('/api/v1/raw', { config: { access: 'open', raw: true, rawBody: true } }, async (request) => ({
      bytes: request.rawBody?.toString(),
      body: request.body,
    }))
  })
})
afterAll(() => app.close())

const post = async (payload: string | Buffer, headers: Record<string, string> = {}, url = THING) => {
  const answer = await app.inject({ method: 'POST', url, headers: { 'content-type': 'application/json', ...acme, ...headers }, payload })
  return [answer.statusCode, answer.json().message ?? answer.json().data]
}

describe('a JSON body', () => {
  it('may come with any parameter of its content type', async () => {
    expect((await post('{"name":"a"}', { 'content-type': 'Application/JSON; charset=UTF-8' }))[0]).toBe(201)
  })
  it('that is empty counts as {}', async () => {
    expect(await post('')).toEqual([400, 'name must be a string'])
    for (const type of [{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }]) {
      const without = await app.inject({ method: 'POST', url: THING, headers: { ...acme, ...type } })
      expect([without.statusCode, without.json().message]).toEqual([400, 'name must be a string'])
    }
  })
  it.each(['{', '{"a":}', '"text"', '5', 'null', '\u0000', 'undefined', '{"name":"a"} x'])('that is %j is not valid', async (text) => {
    expect(await post(text)).toEqual([400, 'Request body is not valid JSON'])
  })
  it('that is not UTF-8 is not valid', async () => {
    expect(await post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toEqual([400, 'Request body is not valid JSON'])
  })
  it('may begin with a byte order mark', async () => {
    expect((await post('\ufeff{"name":"a"}'))[0]).toBe(201)
    expect(await post('\ufeff')).toEqual([400, 'name must be a string'])
    expect(await post('\ufeff\ufeff{"name":"a"}')).toEqual([400, 'Request body is not valid JSON'])
  })
  it('with a number that cannot be kept is refused by its name, wherever that is', async () => {
    const says = (place: string) => [400, `${place} is a number that cannot be kept exactly: send it as a text`]
    expect(await post('{"any":{"order":{"id":4634343214213523454}}}', {}, '/api/v1/free')).toEqual(says('any.order.id'))
    expect(await post('{"any":{"ids":[1,9007199254740993]}}', {}, '/api/v1/free')).toEqual(says('any.ids.1'))
    expect((await post('{"any":{"id":9007199254740991,"text":"4634343214213523454"}}', {}, '/api/v1/free'))[0]).toBe(200)
  })
  it('that is an array is refused after authentication', async () => {
    expect(await post('[]')).toEqual([400, 'Validation failed (object is expected)'])
    expect(await post('[]', { 'x-api-key': '' })).toEqual([401, 'Missing tenant or API key'])
  })
  it('is refused under another content type or an encoding', async () => {
    expect(await post('{}', { 'content-type': 'text/plain' })).toEqual([400, 'Content-Type must be application/json'])
    expect(await post('{}', { 'content-type': 'nonsense' })).toEqual([400, 'Content-Type must be application/json'])
    expect(await post('{}', { 'content-encoding': 'gzip' })).toEqual([400, 'Content-Encoding is not supported'])
  })
})

describe('characters that cannot be stored', () => {
  const message = 'Request contains invalid characters'
  it.each([
    '{"name":"a\\u0000"}',
    '{"name":"\\ud800"}',
    '{"name":"\\udc00\\ud800"}',
    '{"na\\u0000me":1}',
    '{"x":[{"y":["\\ud8ff"]}]}',
    '{"\\ud800":1}',
  ])('are refused wherever they stand: %s', async (text) => {
    expect(await post(text)).toEqual([400, message])
  })
  it('are refused in a query, key or value', async () => {
    for (const query of ['search=a%00', '%00=1']) {
      const answer = await app.inject({ url: `${THING}?${query}`, headers: acme })
      expect([answer.statusCode, answer.json().message]).toEqual([400, message])
    }
  })
  it('are not mistaken: an escaped backslash and a whole pair pass', async () => {
    expect((await post('{"name":"\\\\u0000"}'))[0]).toBe(201)
    expect((await post('{"name":"\\ud83d\\ude00"}'))[0]).toBe(201)
  })
  it('are looked for only after the key is known to be good', async () => {
    expect((await post('{"name":"\\u0000"}', { 'x-api-key': 'x' }))[0]).toBe(401)
  })
})

describe('keys that reach for a prototype', () => {
  it.each(['{"__proto__":{"name":"a"}}', '{"\\u005f_proto__":1}'])('%s is an unknown property', async (text) => {
    expect(await post(text)).toEqual([400, 'property __proto__ should not exist'])
  })
  it('are refused inside free objects too', async () => {
    expect(await post('{"any":{"deep":[{"__proto__":{"polluted":true}}]}}', {}, '/api/v1/free')).toEqual([
      400,
      'property __proto__ should not exist',
    ])
  })
  it.each(['_', 'p', 'r', 'o', 't'])('are refused with the letter %s escaped', async (letter) => {
    const key = '__proto__'.replace(letter, `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)
    expect(await post(`{"any":{"${key}":1}}`, {}, '/api/v1/free')).toEqual([400, 'property __proto__ should not exist'])
  })
  it('called constructor or toString are ordinary keys', async () => {
    expect(await post('{"constructor":1}')).toEqual([400, 'property constructor should not exist'])
    expect(await post('{"any":{"constructor":1}}', {}, '/api/v1/free')).toEqual([200, { any: { constructor: 1 } }])
    expect(Object.prototype).not.toHaveProperty('polluted')
  })
})

describe('nesting', () => {
  const nested = (levels: number) => `{"any":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`
  it('of a million levels is too many values', async () => {
    expect(await post(nested(1_000_000), {}, '/api/v1/free')).toEqual([400, 'Request body has too many values'])
  })
  it('of nearly as many levels as there may be values is one sentence, not a stack overflow', async () => {
    const deep = nested(99_000)
    expect(await post(deep, {}, '/api/v1/free')).toEqual([400, 'any must not be nested deeper than 32 levels'])
    expect(await post(deep.replace('"a"', '"\\u005f"'), {}, '/api/v1/free')).toEqual([400, 'any must not be nested deeper than 32 levels'])
  })
})

describe('the values of a body', () => {
  const bodyOf = (values: number) => `{"any":{"a":[${'0,'.repeat(values - 3)}0]}}`
  it('are at most 100 000, array elements and object members together', async () => {
    expect((await post(bodyOf(100_000), {}, '/api/v1/free'))[0]).toBe(200)
    expect(await post(bodyOf(100_001), {}, '/api/v1/free')).toEqual([400, 'Request body has too many values'])
  })
})

describe('a number', () => {
  it('that JavaScript reads as infinite is refused inside free objects, however deep', async () => {
    const answer = [400, 'any must not contain a number beyond 1.8e308']
    expect(await post('{"any":{"a":1e400}}', {}, '/api/v1/free')).toEqual(answer)
    expect(await post('{"any":{"a":[{"b":-1e309}]}}', {}, '/api/v1/free')).toEqual(answer)
    expect((await post('{"any":{"a":1.7e308,"b":1e-400}}', {}, '/api/v1/free'))[0]).toBe(200)
  })
})

describe('raw bodies', () => {
  it('are kept where a route verifies a signature', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/v1/raw',
      headers: { 'content-type': 'application/json' },
      payload: '[ 1 ]',
    })
    expect(answer.json()).toEqual({ bytes: '[ 1 ]', body: [1] })
  })
})
