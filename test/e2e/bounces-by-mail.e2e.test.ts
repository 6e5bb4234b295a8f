import { type TestDatabase, testDatabase } from '@tidings/testing'
import { type Greenmail, startGreenmail } from '@tidings/testing/greenmail'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { profilesOf } from './support/profiles.ts'
import type { ServiceProcess } from './support/service-process.ts'

const greenmail: Greenmail | null = await startGreenmail()
afterAll(() => greenmail?.stop())

const report = (to: string): string => `From: MAILER-DAEMON@mx.example
To: ${to}
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="=_b"

--=_b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; gone@example.com
Action: failed
Status: 5.1.1

--=_b--
`

describe.runIf(greenmail !== null)('a service that reads the mailbox of its bounces', () => {
  let database: TestDatabase
  let sink: SmtpSink
  let installation: Installation
  let service: ServiceProcess
  let acme: Client

  beforeAll(async () => {
    ;[database, sink] = await Promise.all([testDatabase(), startSmtpSink()])
    installation = await install(database.url, {
      TIDINGS_EMAIL_PROVIDER: sink.url,
      TIDINGS_RETURN_PATH: 'bounces@example.com',
      TIDINGS_BOUNCE_MAILBOX: greenmail?.imap ?? '',
      TIDINGS_LOG_LEVEL: 'info',
    })
    service = await installation.start()
    acme = await installation.workspace('acme')
  })
  afterAll(async () => {
    await service?.end('SIGTERM')
    await installation?.close()
    await sink?.stop()
    await database?.drop()
  })

  it('records the bounce of a mail that it sent: the message, the consent and the mailbox say so', async () => {
    const profiles = profilesOf(acme)
    const { id } = await profiles.create({ email: 'gone@example.com', emailConsent: 'subscribed' })
    const messageId = await acme.send('gone@example.com')
    await acme.messageWith(messageId, 'sent')
    const returnPath = sink.mails[0]?.from ?? ''
    expect(returnPath).toMatch(/^bounces\+[0-9a-z]{41}@example\.com$/)
    await greenmail?.post(returnPath, `To: ${returnPath}\n\nWhere is my order?\n`)
    await greenmail?.post(returnPath, report(returnPath))
    expect(await acme.messageWith(messageId, 'bounced')).toMatchObject({ status: 'bounced', failureReason: 'hard_bounce' })
    expect(await profiles.getWhen(id, ({ emailConsent }) => emailConsent === 'cleaned')).toMatchObject({ emailConsent: 'cleaned' })
    await eventually(
      async () => await greenmail?.flags(),
      (flags) => flags?.[1]?.includes('\\Seen') === true,
    )
    const [letter, bounce] = (await greenmail?.flags()) ?? []
    expect([letter, bounce]).toEqual([expect.arrayContaining(['\\Flagged']), expect.not.arrayContaining(['\\Flagged'])])
    expect(letter).not.toContain('\\Seen')
    expect(service.output()).not.toContain('s3cret')
  })

  it('unsubscribes who writes to the address in the headers of its marketing mail', async () => {
    await installation.tidings(
      ['apply', '-f', '-'],
      `workspace: { slug: acme, name: acme }
templates: [{ name: news, channel: email, subject: News, html: "<p>News</p>" }]
flows: [{ name: Hello, trigger: { type: contact_created }, steps: [{ send: { channel: email, template: news, from: ${acme.fromEmail} } }] }]`,
    )
    const profiles = profilesOf(acme)
    const { id } = await profiles.create({ email: 'reader@example.com', emailConsent: 'subscribed' })
    const mail = await eventually(
      async () => sink.mails.find(({ to }) => to.includes('reader@example.com')),
      (found) => found !== undefined,
    )
    const headers = (mail?.raw ?? '').split('\r\n\r\n', 1)[0]?.replaceAll(/\r\n[ \t]/g, ' ') ?? ''
    const [, address = ''] = /^List-Unsubscribe: <https?:[^>]+>, <mailto:([^?>]+)\?subject=unsubscribe>$/m.exec(headers) ?? []
    expect(headers).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
    expect(headers).toMatch(/^List-Id: <[\da-f-]{36}\.acme\.example>$/m)
    expect(headers).toMatch(/^Feedback-ID: [\da-f-]{36}:[\da-f-]{36}:template:[\da-z]{12}$/m)
    expect(headers).not.toMatch(/^(?:Auto-Submitted|Precedence):/m)
    await greenmail?.post(address, `To: ${address}\nSubject: unsubscribe\n\n`)
    expect((await profiles.getWhen(id, ({ emailConsent }) => emailConsent !== 'subscribed')).emailConsent).toBe('unsubscribed')
  })

  it('takes the bounce of a mail that asked a sender address to confirm for what it is', async () => {
    const file =
      'workspace: { slug: shop, name: Shop }\nsenderDomains: [{ domain: shop.example }]\nsenderAddresses: [{ email: gone@shop.example }]'
    await installation.tidings(['apply', '-f', '-'], file)
    const asking = await eventually(
      async () => sink.mails.find(({ to }) => to.includes('gone@shop.example')),
      (mail) => mail !== undefined,
    )
    const returnPath = asking?.from ?? ''
    await greenmail?.post(returnPath, report(returnPath))
    const { items } = (await eventually(
      () => installation.tidings(['sender-address', 'list', '--workspace', 'shop']),
      (answer) => JSON.stringify(answer).includes('failed'),
    )) as { items: readonly unknown[] }
    expect(items).toMatchObject([{ email: 'gone@shop.example', status: 'failed', reason: 'bounced' }])
  })
})
