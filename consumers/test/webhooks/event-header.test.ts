import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventHeader } from '../../src/webhooks/signature.ts'

/** Reads the header as docs/reference/webhooks.md says. */
const read = (header: string): string => (/%[\dA-F]{2}/.test(header) ? decodeURIComponent(header) : header)

describe('the name of an event in a header', () => {
  test.each(['order.completed', 'viewed', 'Viewed a page: "A, B"; 100%', '50% off', '%zz', '~!', 'a  b'])('is unchanged: %s', (name) => {
    expect(eventHeader(name)).toBe(name)
  })

  test.each([
    ['שלום', '%D7%A9%D7%9C%D7%95%D7%9D'],
    ['evé', 'ev%C3%A9'],
    ['☕ 50% off', '%E2%98%95 50%25 off'],
    ['a\r\nX-Other: b', 'a%0D%0AX-Other: b'],
    ['a\tb\u{7f}', 'a%09b%7F'],
    ['   ', '%20%20%20'],
    [' a b ', '%20a b%20'],
    ['%41', '%2541'],
    ['%C3%A9 is 100%', '%25C3%25A9 is 100%25'],
    ['\u{1f6d2}', '%F0%9F%9B%92'],
  ])('is percent-encoded where a header cannot carry it: %j', (name, header) => {
    expect(eventHeader(name)).toBe(header)
    expect(read(header)).toBe(name)
  })

  test('is carried by a header, and read as it was', () => {
    const pieces = fc.constantFrom('%', '4', 'C', 'é', ' ', '\n', 'ש', '☕', '\u{1f6d2}', '%25', 'a')
    const names = fc.oneof(fc.string({ minLength: 1, unit: 'binary' }), fc.string({ minLength: 1, unit: pieces }))
    fc.assert(
      fc.property(names, (name) => {
        const header = eventHeader(name)
        expect(header).toMatch(/^[!-~]([ -~]*[!-~])?$/)
        expect(read(header)).toBe(name)
      }),
    )
  })
})
