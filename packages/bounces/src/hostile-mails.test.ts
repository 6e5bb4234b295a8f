import { expect, it, test } from 'vitest'
import { boundedShape, MAX_LINES } from './bounded-shape.ts'
import { readReport } from './read-report.ts'
import { MESSAGE, reportMail, returnPaths, statusFields } from './testing.fixture.ts'

const MAIL_BYTES = 256 * 1024
/** The tag is no secret to the person who got the mail. */
const HEAD = `From: a@b.example\r\nTo: ${returnPaths.addressOf(MESSAGE)}\r\nMIME-Version: 1.0\r\n`
const REPORT = `${HEAD}Content-Type: multipart/report; boundary="x"\r\n\r\n--x\r\n`
const filled = (start: string, piece: string, bytes: number) =>
  start + piece.repeat(Math.ceil(Math.max(bytes - start.length, 0) / piece.length))

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
  'tags that are none': (bytes) => filled(HEAD, `Cc: bounces+${'0'.repeat(41)}@example.com\r\n`, bytes),
}

const cpuMs = async (mail: Buffer): Promise<number> => {
  const before = process.cpuUsage()
  await readReport(mail, returnPaths)
  const { user } = process.cpuUsage(before)
  return user / 1_000
}

test.each(Object.entries(shapes))('%s: eight times as much is at most some eight times the work, and little', async (_, shape) => {
  await cpuMs(Buffer.from(shape(MAIL_BYTES / 8)))
  const small = await cpuMs(Buffer.from(shape(MAIL_BYTES / 8)))
  const large = await cpuMs(Buffer.from(shape(MAIL_BYTES)))
  // Below 20 ms it is the collector of garbage that is measured.
  expect(large).toBeLessThan(16 * Math.max(small, 20))
})

test.each(Object.entries(shapes))('%s: the parser sees 2 000 lines at most', (_, shape) => {
  expect((boundedShape(Buffer.from(shape(MAIL_BYTES))) ?? Buffer.alloc(0)).toString('latin1').split('\n').length).toBeLessThanOrEqual(
    MAX_LINES + 1,
  )
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
  }
  expect(await readReport(reportMail({ fields: statusFields('failed', '5.1.1') }), paths)).toEqual({ kind: 'stranger' })
  // The two looks at its text, and none at what a parser found.
  expect(asked).toBe(2)
})
