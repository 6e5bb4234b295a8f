import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prepare, replyReader, stuffed } from '../../src/smtp/transaction.ts'

const line = fc.string({ unit: fc.constantFrom('.', 'a', ' '), maxLength: 4 })

test('what is stuffed ends with the only lonely dot, and unstuffed it is what it was', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), (lines) => {
      const raw = `${lines.join('\r\n')}\r\n`
      const wire = stuffed(raw)
      expect(`\r\n${wire}`.indexOf('\r\n.\r\n')).toBe(wire.length - 3)
      expect(wire.slice(0, -3).replace(/^\./gm, '')).toBe(raw)
    }),
  )
})

test('a mail without an end of line gets one', () => expect(stuffed('a')).toBe('a\r\n.\r\n'))

test.each(['a@b.example>\r\nRCPT TO:<eve@x.example', 'a@b.example\0', 'a b@c.example', '<a@b.example'])('%j ends no command', (address) => {
  const extensions = { pipelining: true, smtpUtf8: true, size: false, maxSize: 0 }
  const raw = 'x'
  expect(() => prepare(extensions, { from: address, to: 'a@b.example', raw })).toThrow('cannot be put on the wire')
  expect(() => prepare(extensions, { from: 'a@b.example', to: address, raw })).toThrow('cannot be put on the wire')
})

describe('the answers of a server', () => {
  const BYTES = '250-one\r\n250 two\r\n354 go on\r\n550-5.1.1 unknown\r\n550 5.1.1 hér\r\n'
  const REPLIES = [
    { code: 250, text: '250-one\n250 two' },
    { code: 354, text: '354 go on' },
    { code: 550, text: '550-5.1.1 unknown\n550 5.1.1 hér' },
  ]

  test('are the same wherever the chunks break', () => {
    const bytes = Buffer.from(BYTES)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const read = replyReader()
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const replies = places.slice(1).flatMap((end, n) => read(bytes.subarray(places[n], end)))
        expect(replies).toEqual(REPLIES)
      }),
    )
  })

  test('have a bound, in one line and in many', () => {
    const flood = (text: string) => () => {
      const read = replyReader()
      for (let n = 0; n < 100; n++) read(Buffer.from(text.repeat(100)))
    }
    expect(flood('25011111111111')).toThrow('does not end its answer')
    expect(flood('250-more\r\n')).toThrow('does not end its answer')
  })
})
