import { textOfHtml } from '@tidings/mail-content'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { buildMime } from '../../../src/email/mime/build-mime.ts'
import { createBodyEncoder } from '../../../src/email/mime/encoded-body.ts'
import { quotedPrintable } from '../../../src/email/mime/quoted-printable.ts'
import { stuffed } from '../../../src/smtp/transaction.ts'
import { mail } from '../mail.fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const html = fc.string({ unit: fc.constantFrom('.', '\n', '\r\n', 'a', 'ü', '=', '<br>'), maxLength: 6 })
const source = fc.record({ html, text: fc.option(html) })

test('a body is what its html and its text encode to, whatever was encoded before', () => {
  const encodedBody = createBodyEncoder()
  fc.assert(
    fc.property(fc.array(source, { maxLength: 40 }), (sources) => {
      for (const each of sources) {
        const { text, html } = encodedBody(each)
        expect([text, html]).toEqual([quotedPrintable(each.text ?? textOfHtml(each.html)), quotedPrintable(each.html)])
      }
    }),
  )
})

test('a mail without dots is the same on the wire as one that is searched for them', () => {
  const encodedBody = createBodyEncoder()
  fc.assert(
    fc.property(source, (each) => {
      const raw = buildMime({ ...mail, ...each }, { host: 'mail.acme.example', date: new Date(0), body: encodedBody(each) })
      expect(stuffed(raw, encodedBody(each).hasDots)).toBe(stuffed(raw))
    }),
  )
})

test('the last eight bodies are remembered, by their content, for ten seconds', () => {
  const encodedBody = createBodyEncoder()
  const bodies = Array.from({ length: 9 }, (_, n) => encodedBody({ html: `<p>${n}</p>`, text: null }))
  expect(encodedBody({ html: `<p>${'12'.at(0)}</p>`, text: null })).toBe(bodies[1])
  expect(encodedBody({ html: '<p>0</p>', text: null })).not.toBe(bodies[0])
  vi.advanceTimersByTime(10_000)
  expect(encodedBody({ html: '<p>1</p>', text: null })).not.toBe(bodies[1])
})

test('a body with the text of another begins with a dot where one of both does', () => {
  const encodedBody = createBodyEncoder()
  const dots = (html: string, text: string) => encodedBody({ html, text }).hasDots
  expect([dots('a', '.b'), dots('c', '.b'), dots('.c', 'd'), dots('e', 'd'), dots('.f', 'd')]).toEqual([true, true, true, false, true])
  expect(encodedBody({ html: 'g', text: 'd' })).toMatchObject({ html: 'g', text: 'd' })
})

test('a long body is not remembered', () => {
  const encodedBody = createBodyEncoder()
  const long = { html: 'x'.repeat(200_000), text: null }
  expect(encodedBody(long)).not.toBe(encodedBody(long))
})
