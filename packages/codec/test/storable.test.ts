import { InvalidAppend } from '@tidings/event-store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkStorable } from '../src/storable.ts'

describe('refused, naming the field and not its value', () => {
  test.each([
    ['a NUL in a value', { notes: 'a\0b' }, 'notes holds a NUL character'],
    ['a NUL in a name', { customProperties: { 'a\0b': 1 } }, 'customProperties holds a NUL character'],
    ['half a surrogate pair in a value', { content: { html: '\ud800' } }, 'html holds half a surrogate pair'],
    ['half a surrogate pair in a name', { '\udc00': 1 }, 'the event holds half a surrogate pair'],
    ['one of them in a list', { tags: ['ok', ['\0']] }, 'tags holds a NUL character'],
    ['a number that is not finite', { seats: Number.NaN }, 'seats is not a finite number'],
    ['what JSON does not know', { at: 1n }, 'at is a bigint, which JSON cannot hold'],
  ])('%s', (_, value, message) => {
    expect(() => checkStorable(value)).toThrow(InvalidAppend)
    expect(() => checkStorable(value)).toThrow(message)
  })

  test('what is nested without end', () => {
    let deep: unknown = 1
    for (let n = 0; n < 100_000; n++) deep = [deep]
    expect(() => checkStorable({ deep })).toThrow('deep is nested more than 200 levels deep')
  })
})

test('what JSON would change on its way is detected', () => {
  for (const value of [{ a: undefined }, { a: -0 }, { a: new Date(0) }, { a: new Map() }, [undefined]])
    expect(checkStorable(value)).toBe(false)
})

test('every value that came out of JSON may be stored', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (any) => {
      const value: unknown = JSON.parse(JSON.stringify(any).replaceAll('\\u0000', ''))
      expect(checkStorable(value)).toBe(true)
    }),
  )
})
