import PostalMime from 'postal-mime'
import { expect, it, test, vi } from 'vitest'
import { boundedPart, boundedShape, MAX_LINES } from '../../src/mailbox/bounded-shape.ts'
import { readReport } from '../../src/mailbox/read-report.ts'
import { MESSAGE, reportMail, returnPaths, statusFields } from './report-mail.fixture.ts'

const MAIL_BYTES = 256 * 1024
/** The tag is no secret to the person who got the mail. */
const HEAD = `From: a@b.example\r\nTo: ${returnPaths.addressOf(MESSAGE)}\r\nMIME-Version: 1.0\r\n`
const REPORT = `${HEAD}Content-Type: multipart/report; boundary="x"\r\n\r\n--x\r\n`
const filled = (start: string, piece: string, bytes: number) =>
  start + piece.repeat(Math.ceil(Math.max(bytes - start.length, 0) / piece.length))

/** A part that hides what is in it: of so many bytes of base64, in lines of 76. */
const encoded = (type: string, piece: string, bytes: number) => {
  const text = Buffer.from(filled('', piece, Math.floor(bytes * 0.73))).toString('base64')
  return `${REPORT}Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${text.replaceAll(/.{76}/g, '$&\r\n')}\r\n--x--\r\n`
}
/** The same in one line, which the bound of lines does not reach. */
const encodedInOneLine = (type: string, piece: string, bytes: number) =>
  encoded(type, piece, bytes).replaceAll(/(?<=\S{76})\r\n(?=\S)/g, '')

const shapes: Readonly<Record<string, (bytes: number) => string>> = {
  'line ends alone': (bytes) => filled('', '\n', bytes),
  'line ends behind the headers': (bytes) => filled(`${HEAD}\r\n`, '\r\n', bytes),
  'a text of line ends': (bytes) => filled(`${HEAD}Content-Type: text/plain\r\n\r\n`, '\n', bytes),
  'a page of line ends': (bytes) => filled(`${HEAD}Content-Type: text/html\r\n\r\n`, '\n', bytes),
  'a flowed text': (bytes) => filled(`${HEAD}Content-Type: text/plain; format=flowed\r\n\r\n`, 'a \n', bytes),
  'soft line ends': (bytes) => filled(`${HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n`, '=\n', bytes),
  'a report of line ends': (bytes) => filled(`${REPORT}Content-Type: message/delivery-status\r\n\r\n`, '\n', bytes),
  'a report of recipients': (bytes) => filled(`${REPORT}Content-Type: message/delivery-status\r\n\r\n`, 'Action: x\n\n', bytes),
  'a returned mail of line ends': (bytes) => filled(`${REPORT}Content-Type: message/rfc822\r\n\r\n`, '\n', bytes),
  'returned headers': (bytes) => filled(`${REPORT}Content-Type: text/rfc822-headers\r\n\r\n`, 'a: b\n', bytes),
  'many parts': (bytes) => filled(`${REPORT}\r\n`, '--x\r\n\r\n', bytes),
  'many headers': (bytes) => filled(HEAD, 'a: b\r\n', bytes),
  'one folded header': (bytes) => filled(`${HEAD}a: b\r\n`, ' x\r\n', bytes),
  'one long header': (bytes) => filled(`${HEAD}Cc: `, '<a@b.c>,', bytes),
  'parameters of a type': (bytes) => filled(`${HEAD}Content-Type: text/plain; `, 'a*0="b";', bytes),
  'encoded words': (bytes) => filled(`${HEAD}Subject: `, '=?utf-8?q?a?= ', bytes),
  'encoded feedback of fields': (bytes) => encodedInOneLine('message/feedback-report', 'a:', bytes),
  'encoded feedback of lines': (bytes) => encodedInOneLine('message/feedback-report', 'a\n', bytes),
  'encoded feedback of blocks': (bytes) => encodedInOneLine('message/feedback-report', 'a: b\n\n', bytes),
  'encoded feedback in short lines': (bytes) => encoded('message/feedback-report', 'a\n', bytes),
  'an encoded report of lines': (bytes) => encodedInOneLine('message/delivery-status', 'a\n', bytes),
  'encoded returned headers': (bytes) => encodedInOneLine('text/rfc822-headers', 'a\n', bytes),
  'an encoded returned mail': (bytes) => encodedInOneLine('message/rfc822', 'a\n', bytes),
  'an encoded text': (bytes) => encodedInOneLine('text/plain', '\n', bytes),
  'an encoded page': (bytes) => encodedInOneLine('text/html', '<\n', bytes),
  'tags that are none': (bytes) => filled(HEAD, `Cc: bounces+${'0'.repeat(41)}@example.com\r\n`, bytes),
}

/** The most that one call of the parser is given beside the mail itself, which comes as a buffer. */
const fieldBytes = async (work: () => Promise<unknown>): Promise<number> => {
  const parse = vi.spyOn(PostalMime, 'parse')
  try {
    await work()
    return Math.max(0, ...parse.mock.calls.map(([given]) => (typeof given === 'string' ? given.length : 0)))
  } finally {
    parse.mockRestore()
  }
}

/** The least of some readings: what the compiler or the collector of garbage takes beside one is not the work itself. */
const cpuMs = async (mail: Buffer): Promise<number> => {
  const readings: number[] = []
  for (let n = 0; n < 3; n++) {
    const before = process.cpuUsage()
    await readReport(mail, returnPaths)
    const { user, system } = process.cpuUsage(before)
    readings.push((user + system) / 1_000)
  }
  return Math.min(...readings)
}

const PARTS = 64
/** What a busy machine, its other core and the collector of garbage add to a reading: the square of the length would be 64 times as much. */
const NOISE = 20
/** Less is not measured. */
const LEAST_MS = 0.25

test.each(Object.entries(shapes))('%s: 64 times as much is at most some 64 times the work, and little', async (_, shape) => {
  const small = await cpuMs(Buffer.from(shape(MAIL_BYTES / PARTS)))
  const large = await cpuMs(Buffer.from(shape(MAIL_BYTES)))
  expect(large).toBeLessThan(NOISE * PARTS * Math.max(small, LEAST_MS))
})

test.each(Object.entries(shapes))('%s: the parser sees 2 000 lines at most', (_, shape) => {
  expect((boundedShape(Buffer.from(shape(MAIL_BYTES))) ?? Buffer.alloc(0)).toString('latin1').split('\n').length).toBeLessThanOrEqual(
    MAX_LINES + 1,
  )
})

test.each(['message/feedback-report', 'message/delivery-status', 'text/rfc822-headers', 'message/rfc822'])(
  'no more than the beginning of an encoded %s is read for fields',
  async (type) => {
    const bytes = MAIL_BYTES
    const hidden = encodedInOneLine(type, 'a: b\n', bytes)
    expect(await fieldBytes(() => readReport(Buffer.from(hidden), returnPaths))).toBeLessThanOrEqual(20_000)
  },
)

it('the text of a part is bounded by characters and by lines, once it is decoded', () => {
  expect(boundedPart('a: b\n'.repeat(50_000)).length).toBeLessThanOrEqual(16_384)
  expect(boundedPart('\n'.repeat(50_000)).split('\n').length).toBeLessThanOrEqual(MAX_LINES)
  expect(boundedPart('Feedback-Type: abuse\r\n\r\nx')).toBe('Feedback-Type: abuse\r\n\r\nx')
})

it('a complaint whose report is encoded is read', async () => {
  const fields = Buffer.from('Feedback-Type: abuse\r\nVersion: 1\r\n').toString('base64')
  const mail = `${REPORT}Content-Type: message/feedback-report\r\nContent-Transfer-Encoding: base64\r\n\r\n${fields}\r\n--x--\r\n`
  expect(await readReport(Buffer.from(mail), returnPaths)).toEqual({ kind: 'report', messageId: MESSAGE, reported: { type: 'complained' } })
})

it('a report before a long returned mail is read whole, and one with a folded or encoded address too', async () => {
  const fields = statusFields('failed', '5.1.1')
  const expected = { kind: 'report', messageId: MESSAGE, reported: { type: 'bounced', hard: true } }
  expect(await readReport(reportMail({ fields, returned: `Subject: Hi\n\n${'word\n'.repeat(20_000)}` }), returnPaths)).toMatchObject(
    expected,
  )
  const ours = returnPaths.addressOf(MESSAGE)
  const folded = reportMail({ to: `"the\n mailbox of bounces"\n <${ours}>`, fields })
  expect(await readReport(folded, returnPaths)).toMatchObject(expected)
  const returned = `Return-Path: <${ours}>\nSubject: Hi\n\nbody`
  expect(await readReport(reportMail({ to: 'postmaster@example.com', fields, returned }), returnPaths)).toMatchObject(expected)
})

it('a mail that names no message of ours is not parsed', async () => {
  let asked = 0
  const paths = {
    messageIn: () => {
      asked++
      return null
    },
    unsubscribedIn: () => null,
  }
  expect(await readReport(reportMail({ fields: statusFields('failed', '5.1.1') }), paths)).toEqual({ kind: 'stranger' })
  // The two looks at its text, and none at what a parser found.
  expect(asked).toBe(2)
})
