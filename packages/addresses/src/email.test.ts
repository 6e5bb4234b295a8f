import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isValidEmail, normalizeEmail } from './email.ts'

const local64 = 'a'.repeat(64)
const domainOf = (length: number): string =>
  `${'d'.repeat(60)}.`
    .repeat(5)
    .slice(0, length - 4)
    .concat('.com')

describe('an email address', () => {
  it('is trimmed and lower case wherever it is stored or compared', () => {
    expect(normalizeEmail('  Ada.Lovelace@Example.COM\n')).toBe('ada.lovelace@example.com')
  })

  it.each([
    'a@b.co',
    'ada+news@mail.example.com',
    "o'neil@example.org",
    'x@xn--bcher-kva.example',
    'a@b.xn--p1ai',
    'jörg@bücher.example',
    '1@2.io',
    'a-b_c@d-e.fr',
  ])('%s is one', (email) => {
    expect(isValidEmail(email)).toBe(true)
  })

  it.each([
    '',
    '@',
    'a@',
    '@b.co',
    'a@b',
    'a@b.c',
    'a@b.1',
    'a b@c.de',
    'a@b c.de',
    'a..b@c.de',
    '.a@c.de',
    'a.@c.de',
    'a@-b.de',
    'a@b-.de',
    'a@b..de',
    'a@.de',
    'a@b.de.',
    'a@@b.de',
    'a@b@c.de',
    '"a b"@c.de',
    'a@[127.0.0.1]',
    'a@b.de\r\nBcc: x@y.de',
    'a\n@b.de',
    'a\u0000@b.de',
    'a<b>@c.de',
    'a,b@c.de',
    'a;b@c.de',
    'a:b@c.de',
    'a(b)@c.de',
    'a\u2028b@c.de',
    'a@b.de\u2029',
    '\ud800@b.de',
  ])('%j is none', (email) => {
    expect(isValidEmail(email)).toBe(false)
  })

  it('has at most 64 bytes before the @, 253 characters after it and 63 in a label', () => {
    expect(isValidEmail(`${local64}@example.com`)).toBe(true)
    expect(isValidEmail(`${local64}a@example.com`)).toBe(false)
    expect(isValidEmail(`${'é'.repeat(33)}@example.com`)).toBe(false)
    expect(isValidEmail(`a@${'d'.repeat(63)}.com`)).toBe(true)
    expect(isValidEmail(`a@${'d'.repeat(64)}.com`)).toBe(false)
    expect(isValidEmail(`${local64}@${domainOf(244)}`)).toBe(true)
    expect(isValidEmail(`a@${domainOf(260)}`)).toBe(false)
  })

  it('never holds what could end a header or start another address', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        if (isValidEmail(text)) expect(text).not.toMatch(/[\s<>,;:"()\\[\]\p{Cc}]/u)
      }),
    )
  })

  it('is refused in no time, however odd it is', () => {
    expect(isValidEmail(`${'a.'.repeat(200_000)}@b.de`)).toBe(false)
    expect(isValidEmail(`a@${'a-'.repeat(125)}.de`)).toBe(false)
  })
})
