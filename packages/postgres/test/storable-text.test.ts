import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storableText } from '../src/storable-text.ts'

test('an emoji at the cut is left out as a whole', () => {
  expect(storableText(`${'x'.repeat(499)}🎉`)).toBe('x'.repeat(499))
  expect(storableText(`${'x'.repeat(498)}🎉`)).toBe(`${'x'.repeat(498)}🎉`)
})

test('whatever was said can be stored: well formed, without control characters, and no longer than it may be', () => {
  const said = fc.string({ unit: fc.constantFrom('🎉', 'x', '\0', '\r\n', '\ud800', '\udc00', 'é', '👩‍👩‍👧'), maxLength: 40 })
  fc.assert(
    fc.property(said, fc.nat({ max: 30 }), (text, max) => {
      const kept = storableText(text, max)
      expect(kept.isWellFormed()).toBe(true)
      expect(kept).not.toMatch(/\p{Cc}/u)
      expect(kept.length).toBeLessThanOrEqual(max)
    }),
  )
})
