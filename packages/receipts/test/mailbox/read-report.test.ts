import { randomBytes } from 'node:crypto'
import { asMessageId } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readReport } from '../../src/mailbox/read-report.ts'
import { MESSAGE, reportMail, returnPaths, statusFields } from './report-mail.fixture.ts'

const read = (mail: Buffer | string) => readReport(Buffer.from(mail), returnPaths)
const OURS = returnPaths.addressOf(MESSAGE)
const hard = { kind: 'report', messageId: MESSAGE, reported: { type: 'bounced', hard: true } }
const soft = { kind: 'report', messageId: MESSAGE, reported: { type: 'bounced', hard: false } }
const failed = { kind: 'report', messageId: MESSAGE, reported: { type: 'failed' } }

describe('a mail to the address where a reader unsubscribes', () => {
  const AWAY = returnPaths.unsubscribeAddressOf(MESSAGE)
  test.each([
    ['of a person', `To: <${AWAY}>\nSubject: unsubscribe\n\n`],
    ['without a subject or a text', `To: ${AWAY}\n\n`],
    ['of a program', `To: ${AWAY}\nAuto-Submitted: auto-generated\n\nunsubscribe`],
    ['that a server has put into another envelope', `To: list@example.com\nDelivered-To: ${AWAY}\n\n`],
    ['that looks like a report', reportMail({ to: AWAY, fields: statusFields('failed', '5.1.1') }).toString()],
  ])('%s unsubscribes', async (_, mail) => {
    expect(await read(mail)).toMatchObject({ kind: 'unsubscribe', messageId: MESSAGE })
  })

  test('does not, where only the text names the address, or its tag is another’s', async () => {
    expect(await read(`To: bounces@example.com\n\nSee ${AWAY}`)).toEqual({ kind: 'stranger' })
    expect(await read(`To: bounces@example.com\nList-Unsubscribe: <mailto:${AWAY}>\n\nFwd`)).toEqual({ kind: 'stranger' })
    const other = returnPaths.unsubscribeAddressOf(asMessageId('01a1feb4-f243-774a-84d8-4e6ead929d11')).slice(-28)
    expect(await read(`To: ${AWAY.slice(0, -28)}${other}\n\n`)).toEqual({ kind: 'stranger' })
  })
})

describe('a report of delivery', () => {
  test.each([
    ['', ['ada@example.com']],
    ['\nOriginal-Recipient: rfc822;bea@example.com', ['bea@example.com', 'ada@example.com']],
    ['\nOriginal-Recipient: utf-8; <josé@example.com>', ['josé@example.com', 'ada@example.com']],
    ['\nOriginal-Recipient: unknown; bea', ['ada@example.com']],
  ])('names the addresses that it is about (%j)', async (more, recipients) => {
    expect(await read(reportMail({ fields: `${statusFields('failed', '5.1.1')}${more}` }))).toMatchObject({ reported: { recipients } })
  })

  test.each([
    ['5.1.1', 'smtp; 550 5.1.1 <ada@example.com>: Recipient address rejected', hard],
    ['5.1.1 (bad destination mailbox address)', undefined, hard],
    ['5.2.1', undefined, hard],
    ['5.0.0', 'smtp; 550 no such user', failed],
    ['5.0.0', 'smtp; 550 no such user (in reply to RCPT TO command)', hard],
    ['5.0.0', 'smtp; 550 #5.1.1 no such user', hard],
    ['5.0.0', 'smtp; 550 scored 9.1 spam points', failed],
    ['5.0.0', 'smtp; 550 listed at a blocklist', failed],
    ['5.0.0', 'smtp; 550 listed at a blocklist (in reply to RCPT TO command)', failed],
    ['5.0.0', 'smtp; 554 contains a virus (in reply to end of DATA command)', failed],
    ['5.0.0', 'smtp; 550 no such user (in reply to end of DATA command)', failed],
    ['5.0.0', 'smtp; 550 the sender 185.5.1.20 is unknown', failed],
    ['', 'smtp; 550 5.1.20.185 is listed', failed],
    ['5.1.1', 'smtp; 550 5.1.1 unknown (in reply to MAIL FROM command)', failed],
    ['5.1.8', 'smtp; 550 5.1.8 sender unknown', failed],
    ['', 'smtp; 553-5.1.2 no such host', hard],
    ['5.2.2', 'smtp; 552 5.2.2 mailbox full', soft],
    ['4.4.7', 'smtp; 450 4.2.0 greylisted', soft],
    ['4.0.0', undefined, soft],
    ['5.7.1', 'smtp; 550 5.7.1 blocked by policy', failed],
    ['5.0.0', 'smtp; 550 relay not permitted', failed],
    ['5.1.1', 'smtp; 550-5.7.1 [185.5.1.20] spam (in reply to end of DATA command)', failed],
    ['5.1.1', 'smtp; 550 5.7.1 Message rejected due to content restrictions', failed],
    ['5.7.1', 'smtp; 550 5.1.1 no such user', hard],
    ['5.0.0', 'smtp; 550 blocked using zen.spamhaus.org (in reply to RCPT TO command)', failed],
    ['5.0.0', 'X-Postfix; lost', failed],
    ['none', undefined, failed],
  ])('that failed with status %j and diagnostic %j', async (status, diagnostic, expected) => {
    expect(await read(reportMail({ fields: statusFields('failed', status, diagnostic) }))).toMatchObject(expected)
  })

  test.each([
    ['SMTP error from remote mail server after RCPT TO:<ada@example.com>:\n  550 mailbox unavailable', hard],
    ['SMTP error from remote mail server after end of data:\n  550 mailbox unavailable', failed],
    ['   ----- Transcript of session follows -----\n>>> RCPT To:<ada@example.com>\n<<< 550 mailbox unavailable', hard],
    ['>>> DATA\n<<< 550 mailbox unavailable', failed],
    ['1.2.3.4 does not like recipient.\nRemote host said: 550 mailbox unavailable\nGiving up on 1.2.3.4.', hard],
    ['after RCPT TO and then (in reply to end of DATA command) (in reply to RCPT TO command)', failed],
    ['The mail could not be delivered.', failed],
  ])('is judged at the stage that its words tell: %j', async (words, expected) => {
    const fields = statusFields('failed', '5.0.0', 'smtp; 550 mailbox unavailable')
    expect(await read(reportMail({ fields, words }))).toMatchObject(expected)
  })

  test('keeps what the server said, and no more than 500 characters of it', async () => {
    const long = `smtp; 550 5.1.1 no\n such user ${'x'.repeat(2_000)}`
    const reading = await read(reportMail({ fields: statusFields('failed', '5.1.1', long) }))
    expect(reading).toMatchObject({ reported: { reason: expect.stringMatching(/^5\.1\.1 smtp; 550 5\.1\.1 no such user x{400,}$/) } })
    expect(reading.kind === 'report' && 'reason' in reading.reported && reading.reported.reason.length).toBe(500)
  })

  test('of a delivery is one, and of a delay or a hand-over is no news', async () => {
    expect(await read(reportMail({ fields: statusFields('Delivered', '2.0.0') }))).toMatchObject({ reported: { type: 'delivered' } })
    for (const action of ['delayed', 'relayed', 'expanded', 'unheard-of'])
      expect(await read(reportMail({ fields: statusFields(action, '4.0.0') }))).toEqual({ kind: 'no_news' })
  })

  test('of several recipients counts as the worst', async () => {
    const fields = `${statusFields('delivered', '2.0.0')}\n\n${statusFields('failed', '5.1.1')}\n\n${statusFields('failed', '4.4.1')}`
    expect(await read(reportMail({ fields }))).toMatchObject(hard)
  })

  test('is one with international addresses too (RFC 6533)', async () => {
    const mail = reportMail({ type: 'message/global-delivery-status', fields: statusFields('failed', '5.1.1') })
    expect(await read(mail)).toMatchObject(hard)
  })

  test('is read where its mail was cut', async () => {
    const mail = reportMail({ fields: statusFields('failed', '5.1.1'), returned: `Subject: Hi\n\n${'x'.repeat(100_000)}` })
    expect(await read(mail.subarray(0, 2_000))).toMatchObject(hard)
  })
})

describe('a complaint', () => {
  const feedback = (fields: string, more: Partial<Parameters<typeof reportMail>[0]> = {}) =>
    read(reportMail({ type: 'message/feedback-report', fields: `${fields}\nVersion: 1`, ...more }))

  test('is one where it is about abuse; other feedback is no news', async () => {
    expect(await feedback('Feedback-Type: abuse')).toEqual({ kind: 'report', messageId: MESSAGE, reported: { type: 'complained' } })
    for (const type of ['not-spam', 'virus', 'auth-failure', 'other', ''])
      expect(await feedback(`Feedback-Type: ${type}`)).toEqual({ kind: 'no_news' })
  })

  test('names its message by who sent it, or by the Return-Path of the mail it gives back, where it came to another address', async () => {
    const to = 'feedback@example.com'
    expect(await feedback(`Feedback-Type: abuse\nOriginal-Mail-From: <${OURS}>`, { to })).toMatchObject({ messageId: MESSAGE })
    expect(await feedback('Feedback-Type: abuse', { to, returned: `Return-Path: <${OURS}>\nSubject: Hi\n\nbody` })).toMatchObject({
      messageId: MESSAGE,
    })
    expect(await feedback('Feedback-Type: abuse', { to })).toEqual({ kind: 'stranger' })
  })
})

describe('any other mail', () => {
  test('to another address is a stranger’s, a report with a forged tag too', async () => {
    const forged = OURS.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'))
    expect(await read(reportMail({ to: forged, fields: statusFields('failed', '5.1.1') }))).toEqual({ kind: 'stranger' })
    expect(await read(reportMail({ to: 'bounces@example.com', fields: statusFields('failed', '5.1.1') }))).toEqual({ kind: 'stranger' })
    expect(await read('From: spam@example.net\nTo: bounces@example.com\n\nBuy')).toEqual({ kind: 'stranger' })
  })

  test('is found by where it was delivered', async () => {
    const headers = `Delivered-To: ${OURS}\n`
    expect(await read(reportMail({ to: 'undisclosed-recipients:;', headers, fields: statusFields('failed', '5.1.1') }))).toMatchObject(hard)
  })

  test('from a program that is away is an automatic reply; from a person it is not understood', async () => {
    for (const header of ['Auto-Submitted: auto-replied', 'Precedence: auto_reply', 'X-Autoreply: yes'])
      expect(await read(`${header}\nTo: ${OURS}\nSubject: Away\n\nBack on Monday`)).toEqual({ kind: 'auto_reply' })
    expect(await read(`To: ${OURS}\nAuto-Submitted: no\nSubject: Question\n\nWhere is my order?`)).toEqual({ kind: 'unreadable' })
  })

  test('that has a report in a mail that it forwards reports nothing', async () => {
    const inner = reportMail({ fields: statusFields('failed', '5.1.1') }).toString()
    const mail = `To: ${OURS}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="=_o"\n\n--=_o\nContent-Type: message/rfc822\n\n${inner}\n--=_o--\n`
    expect(await read(mail)).toEqual({ kind: 'unreadable' })
  })

  test('may be anything', async () => {
    const report = reportMail({ fields: statusFields('failed', '5.1.1') })
    await fc.assert(
      fc.asyncProperty(fc.nat(report.length), fc.uint8Array({ maxLength: 200 }), async (at, bytes) => {
        const broken = Buffer.concat([report.subarray(0, at), bytes, report.subarray(at + bytes.length)])
        expect((await read(broken)).kind).toMatch(/^(report|stranger|auto_reply|no_news|unreadable)$/)
      }),
      { numRuns: 200 },
    )
    for (const mail of [Buffer.alloc(0), randomBytes(256 * 1024)]) expect(await read(mail)).toEqual({ kind: 'stranger' })
    const nested = Array.from({ length: 500 }, (_, n) => `Content-Type: multipart/mixed; boundary="b${n}"\n\n--b${n}\n`).join('')
    expect(await read(`To: ${OURS}\n${nested}`)).toEqual({ kind: 'stranger' })
    expect((await read(`To: ${OURS}\n${'X: y\n'.repeat(50_000)}\n`)).kind).toBe('stranger')
  })
})
