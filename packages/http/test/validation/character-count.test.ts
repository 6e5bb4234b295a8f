import fc from 'fast-check'
import { expect, it } from 'vitest'
import { characterCount } from '../../src/validation/string-rule.ts'

const selector = '(?:\\uFE0F|\\uFE0E)'
const selected = new RegExp(`(?!${selector})[\\s\\S]${selector}`, 'g')
const pair = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g

/** How validator.js 13.15 counts in `isLength`. */
const asIsLength = (text: string): number => text.length - (text.match(selected) ?? []).length - (text.match(pair) ?? []).length

it.each([
  ['', 0],
  ['abc', 3],
  ['שלום', 4],
  ['😀', 1],
  ['☎\uFE0F', 1],
  ['\uFE0F', 1],
])('%j has %i characters', (text, count) => {
  expect(characterCount(text)).toBe(count)
})

it('counts as validator.js does, whatever the text', () => {
  const unit = fc.constantFrom('a', 'é', '😀', '\uD800', '\uDC00', '\uFE0E', '\uFE0F')
  fc.assert(fc.property(fc.string({ unit }), (text) => characterCount(text) === asIsLength(text)))
})
