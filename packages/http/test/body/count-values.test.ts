import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasMoreValuesThan } from '../../src/body/parse-json.ts'

/**
 * Array elements and object members of a value, counted one by one. It counts the value as it was made, because `JSON.parse` of V8 13.6 to 14.6 may give another
 * (https://github.com/nodejs/node/issues/63785, seed 1693231304 here): once an object had the name of one backslash behind some names, a name of one
 * character that is written with an escape reads as a backslash behind the same names: `{"\\":1}`, then `{"\u0061":1}` gives `{"\\":1}`. With a real backslash beside it
 * a member is lost.
 */
const naiveCount = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value)
  return inner.reduce((sum: number, item) => sum + naiveCount(item), inner.length)
}

/** The rule for short texts is left out of the way: blanks may stand behind any JSON. */
const padded = (json: string, limit: number): Buffer => Buffer.from(json + ' '.repeat(2 * limit + 1))
const exactly = (json: string, count: number): void => {
  expect([json, hasMoreValuesThan(padded(json, count), count)]).toEqual([json, false])
  if (count > 0) expect([json, hasMoreValuesThan(padded(json, count), count - 1)]).toEqual([json, true])
}

const awkward = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', ' ', '\n', 'é', '😀', '\u2028', 'a', '\u0000') })
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(awkward, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value')),
    fc.dictionary(awkward, tie('value')),
  ),
}))
const anyBlank = fc.constantFrom('', ' ', '\t\n', '\r\n  ')

/** The same value with blanks between all its tokens, and every character of its strings escaped where `escaped` says so. */
const spelled = (value: unknown, blank: string, escaped: boolean): string => {
  const text = (string: string) =>
    escaped
      ? `"${string
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join('')}"`
      : JSON.stringify(string)
  const around = (tokens: string[]) => tokens.join(blank)
  const write = (inner: unknown): string => {
    if (typeof inner === 'string') return text(inner)
    if (typeof inner !== 'object' || inner === null) return JSON.stringify(inner)
    if (Array.isArray(inner)) return around(['', '[', inner.map(write).join(`${blank},${blank}`), ']', ''])
    const members = Object.entries(inner).map(([key, item]) => around([text(key), ':', write(item)]))
    return around(['', '{', members.join(`${blank},${blank}`), '}', ''])
  }
  return write(value)
}

describe('the values of a JSON text', () => {
  it('are array elements and object members of all levels, whatever strings, escapes and blanks stand between', () => {
    fc.assert(
      fc.property(anyValue, anyBlank, fc.boolean(), (value, blank, escaped) => {
        const json = spelled(value, blank, escaped)
        exactly(json, naiveCount(value))
      }),
      { numRuns: 2_000 },
    )
  })
  it.each([
    ['[]', 0],
    ['{ }', 0],
    ['5', 0],
    ['[ [ ] , { } ]', 2],
    ['{"a":[1,{"b":null}]}', 4],
    [String.raw`["\\","\"",",[{","\\\","]`, 4],
    [`${'['.repeat(1_000)}${']'.repeat(1_000)}`, 999],
  ])('of %s', (json, count) => exactly(json, count))
  it('are as many as the bytes allow: a text of two bytes a value is not read', () => {
    expect(hasMoreValuesThan(Buffer.from(`[${'1,'.repeat(99_999)}1]`), 100_000)).toBe(false)
    expect(hasMoreValuesThan(Buffer.from(`[${'1,'.repeat(100_000)}1]`), 100_000)).toBe(true)
  })
  it('of a text that is no JSON never keep the count from an end', () => {
    for (const text of ['"', '"\\', '[[[', ',,,', '{"a', ']']) expect(() => hasMoreValuesThan(padded(text, 3), 3)).not.toThrow()
  })
})
