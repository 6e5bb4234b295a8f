import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasBackslashName, parseJson } from '../../src/body/parse-json.ts'

const namesOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([name, inner]) => [name, ...namesOf(inner)]) : []

/** Writes some characters of its names and values as escapes. */
const escaped = (json: string): string => json.replaceAll('é', '\\u00e9').replaceAll('\\\\', () => (json.length % 2 ? '\\\\' : '\\u005C'))

const text = fc.string({ unit: fc.constantFrom('a', '\\', '"', 'é', ':', '\n', '{', ' '), maxLength: 4 })
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    fc.constantFrom(1, null),
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
}))

test('a name with a backslash is found wherever it is, and nothing else is', () => {
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 2), (value, indent) => {
      const json = escaped(JSON.stringify(value, null, indent))
      expect(hasBackslashName(Buffer.from(json))).toBe(namesOf(value).some((name) => name.includes('\\')))
    }),
    { numRuns: 2_000 },
  )
})

test('what has no end is looked through once', () => {
  expect(hasBackslashName(Buffer.from(`"${'\\\\"'.repeat(2 ** 20)}`))).toBe(false)
  expect(hasBackslashName(Buffer.from(`{"a${'\\'.repeat(2 ** 20 + 1)}`))).toBe(false)
})

describe('a body', () => {
  const parsed = (json: string) => parseJson(Buffer.from(json)).value

  test.each(['{"\\\\":2}', '[{"a":{"b\\u005Cc":1}}]', '{"x":1,"\\\\u" : 2}'])('%j is refused before it is parsed', (json) =>
    expect(() => parsed(json)).toThrow('Request contains invalid characters'),
  )

  test('leaves the names of the bodies after it what they are', () => {
    for (const hostile of ['{"\\\\":2}', '{"shop":1,"\\\\":2}']) expect(() => parsed(hostile)).toThrow()
    for (const [json, value] of [
      ['{"\\u0061":2}', { a: 2 }],
      ['{"shop":1,"\\u05d0":2}', { shop: 1, א: 2 }],
    ] as const)
      for (let n = 0; n < 100; n++) expect(parsed(json)).toEqual(value)
  })

  test('keeps backslashes in its values', () =>
    expect(parsed('{"path":"C:\\\\\\u005c","n":["\\\\"]}')).toEqual({ path: 'C:\\\\', n: ['\\'] }))
})
