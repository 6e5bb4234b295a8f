import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeCustomProperties } from '../src/contact/contact-state.ts'
import { inNfc, isVisible, jsonInNfc, ownValue, sameJson, utf8Length, valueNamed } from '../src/values.ts'

const refused = (code: string) => expect.objectContaining({ code })

describe('the length as UTF-8', () => {
  it('is what an encoder writes, lone surrogates included', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void expect(utf8Length(text)).toBe(Buffer.byteLength(text))))
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 0xffff })), (units) => {
        const text = String.fromCharCode(...units)
        expect(utf8Length(text)).toBe(Buffer.byteLength(text))
      }),
    )
  })
})

it.each([
  [
    false,
    ['', ' \t\n', '\u200b', '\u2060\u200d\ufeff', '\u202e\u2069', '\u3164\u115f', '\u00ad', '\u2800', '\u0000', '\ufe0f', '\u{e0020}'],
  ],
  [true, ['a', '\u202ea', '־', '👩‍👧', '0', '\u0301', '\u200bא', '\u06dd']],
])('shows something: %s', (shows, texts) => {
  expect(texts.filter((text) => isVisible(text) !== shows)).toEqual([])
})

describe('equal JSON', () => {
  it('does not mind the order of keys, and minds everything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(sameJson(a, JSON.parse(JSON.stringify(a)))).toBe(true)
        expect(sameJson(a, b)).toBe(canonical(a) === canonical(b))
      }),
      { examples: [[[], {}]] },
    )
  })
})

/** Objects as marked lists of sorted entries: `{}` and `[]` must not look alike. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? { entries: Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)) }
      : part,
  )

describe('custom properties', () => {
  it('keep odd keys as ordinary keys', () => {
    const odd = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}')
    const merged = mergeCustomProperties({}, odd)
    expect(Object.keys(merged)).toEqual(['__proto__', 'constructor'])
    expect(ownValue(merged, '__proto__')).toEqual({ a: 1 })
    expect(ownValue(merged, 'toString')).toBeUndefined()
    expect(ownValue(mergeCustomProperties(merged, { constructor: null }), 'constructor')).toBeUndefined()
  })

  it('have at most 200 keys, counted after the merge', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, n]))
    expect(Object.keys(mergeCustomProperties(many, { k0: null, new: 1 }))).toHaveLength(200)
    expect(() => mergeCustomProperties(many, { new: 1 })).toThrow(refused('custom_properties_too_many_keys'))
  })

  it('take at most 32 KiB as UTF-8 JSON', () => {
    const room = 32 * 1024 - '{"k":""}'.length
    expect(mergeCustomProperties({}, { k: 'x'.repeat(room) })).toHaveProperty('k')
    expect(() => mergeCustomProperties({}, { k: 'x'.repeat(room + 1) })).toThrow(refused('custom_properties_too_large'))
    expect(() => mergeCustomProperties({}, { k: 'é'.repeat(room / 2 + 1) })).toThrow(refused('custom_properties_too_large'))
  })
})

describe('a text in NFC', () => {
  it('is what the standard says, for a text of any characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void expect(inNfc(text)).toBe(text.normalize('NFC'))))
    for (let point = 0; point < 0x300; point++) expect(String.fromCodePoint(point).normalize('NFC')).toBe(String.fromCodePoint(point))
  })

  it('takes as long as the text, whatever it is made of: what has more marks on a letter than any language stays as it is', () => {
    const marks = '\u0301\u0323'
    expect(inNfc(`e${marks.repeat(15)}`)).toBe(`e${marks.repeat(15)}`.normalize('NFC'))
    for (const letter of ['', 'e', 'א', '한'])
      for (const count of [16, 1_000, 2_000_000]) {
        const text = letter + marks.repeat(count)
        expect(inNfc(text) === text).toBe(true)
        expect(jsonInNfc({ [text.slice(0, 100)]: [text] })).toEqual({ [text.slice(0, 100)]: [text] })
      }
  })

  it('is each text and key of a JSON value, and nothing else is changed', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(JSON.stringify(jsonInNfc(jsonInNfc(value)))).toBe(JSON.stringify(jsonInNfc(value)))
      }),
    )
    const same = { a: ['é', { b: 1 }] }
    expect(jsonInNfc(same)).toBe(same)
    expect(jsonInNfc({ 'e\u0301': 1, é: 2 })).toEqual({ é: 2 })
  })

  it('names a value whose key was stored in another form', () => {
    expect(valueNamed({ 'e\u0301': 1 }, 'é')).toBe(1)
    expect(valueNamed({ 'e\u0301': 1, é: 2 }, 'é')).toBe(2)
    expect(valueNamed({}, 'constructor')).toBeUndefined()
  })

  it('is the key of a property that is changed', () => {
    expect(mergeCustomProperties({ 'e\u0301': 1 }, { é: 2 })).toEqual({ é: 2 })
    expect(mergeCustomProperties({ 'e\u0301': 1 }, { é: null })).toEqual({})
  })
})
