import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inexactNumber } from '../src/exact-json.ts'

describe('a number that would be changed', () => {
  test.each([
    ['{"orderId":4634343214213523454}', 'orderId'],
    ['{"a":1,"orderId":-9007199254740993}', 'orderId'],
    ['{"id":9007199254740992}', 'id'],
    ['{"properties":{"lines":[{"id":1},{"id":12345678901234567890}]}}', 'properties.lines.1.id'],
    ['[1,[2,99999999999999999999]]', '1.1'],
    ['{"x":4634343214213523454.25}', 'x'],
    ['{"x":4634343214213523454e0,"y":"1e400"}', 'x'],
    ['{"\u0061":4634343214213523454}', 'a'],
    ['{"__proto__":{"id":4634343214213523454}}', '__proto__.id'],
  ])('in %s is named', (json, place) => {
    expect(inexactNumber(json)).toBe(place)
  })

  test.each([
    '{"id":9007199254740991,"min":-9007199254740991}',
    '{"id":"4634343214213523454","text":"1e400"}',
    '{"4634343214213523454":1}',
    '{"x":0.30000000000000004,"y":0.1234567890123456789,"z":1234567.1234567890123}',
    '{"x":1e400,"w":1e-400,"big":1.2345678901234567e20}',
    '{"x":1e100,"y":1.5e-300,"z":0e999,"zero":0.0000000000000000000000}',
    '{"a":"\\"4634343214213523454,\\"b\\":4634343214213523454"}',
    '{}',
  ])('is not in %s', (json) => {
    expect(inexactNumber(json)).toBeNull()
  })

  test('is found wherever it is, and no other integer is', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(fc.maxSafeInteger(), fc.string(), tie('list'), tie('map')),
      list: fc.array(tie('any'), { maxLength: 3 }),
      map: fc.dictionary(fc.string(), tie('any'), { maxKeys: 3 }),
    })).any
    fc.assert(
      fc.property(value, fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (any, id) => {
        const json = `{"around":${JSON.stringify(any)},"id":${id}}`
        expect(inexactNumber(json)).toBe(id > 9_007_199_254_740_991n || id < -9_007_199_254_740_991n ? 'id' : null)
      }),
    )
  })

  test('is found at any depth', () => {
    const depth = 100_000
    expect(inexactNumber(`${'{"a":'.repeat(depth)}4634343214213523454${'}'.repeat(depth)}`)).toMatch(/^a\.a\.a/)
  })
})
