import fc from 'fast-check'
import isEmail from 'validator/lib/isEmail.js'
import { expect, it } from 'vitest'
import { isEmailAddress } from './email-address.ts'

const piece = fc.string({ unit: fc.constantFrom(...'abzAZ09_+-.é!"\\ '), minLength: 0, maxLength: 40 })
const addressLike = fc
  .tuple(piece, piece, fc.constantFrom('com', 'example', 'c', 'co1', 'x--y', 'COM', '-a'))
  .map(([a, b, c]) => `${a}@${b}.${c}`)

it('says what isEmail says, by the short way too', () => {
  fc.assert(
    fc.property(fc.oneof(addressLike, fc.emailAddress(), fc.string()), (text) => {
      expect(isEmailAddress(text)).toBe(isEmail.default(text))
    }),
    { numRuns: 5_000 },
  )
})

it.each([
  ['hello@acme.example', true],
  ['a+b_c@sub.acme.example', true],
  ['"a b"@acme.example', true],
  ['jörg@bücher.example', true],
  ['', false],
  ['nobody', false],
  ['a@localhost', false],
  ['a..b@acme.example', false],
  [`${'a'.repeat(65)}@acme.example`, false],
  [`a@${'b'.repeat(64)}.example`, false],
  ['a@b.co\r\nBcc: x@y.co', false],
])('%j: %s', (text, verdict) => {
  expect(isEmailAddress(text)).toBe(verdict)
})

it('takes no time over a text made to take long', () => {
  expect(isEmailAddress(`${'a-'.repeat(20_000)}@b`)).toBe(false)
})
