import { generateKeyPairSync } from 'node:crypto'
import { asMessageId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { type SesServer, startSesServer } from '@tidings/testing/ses-server'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import type { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EmailProvider } from '../../src/email/port.ts'
import { emailProvider } from '../../src/open-provider.ts'
import type { SendOptions } from '../../src/port.ts'
import { trySes } from '../../src/ses/ses-provider.ts'
import { mail } from '../email/mail.fixture.ts'

let server: SesServer
beforeEach(async () => {
  server = await startSesServer()
})
afterEach(async () => {
  await server.stop()
})
const mailTo = (to: string) => ({ ...mail, messageId: asMessageId(crypto.randomUUID()), to })
const options = (more: Partial<SendOptions> = {}): SendOptions => ({
  ...{ signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' },
  ...more,
})
/** Nothing is stored here. */
const pool = {} as Pool
const shared = { publicUrl: 'https://mail.acme.example', pool, callMs: 60_000 }

describe('first of two providers', () => {
  let second: SmtpSink
  let provider: EmailProvider
  beforeEach(async () => {
    second = await startSmtpSink()
    provider = await emailProvider({ ...shared, provider: `${server.url},${second.url}` })
  })
  afterEach(async () => {
    await provider.close()
    await second.stop()
  })
  const labelOf = (url: string) => new URL(url).host
  const send = (to: string, more: Partial<SendOptions> = {}) => provider.send(mailTo(to), options(more))

  test('an account that may send nothing moves mails to the second, and gets them again once it may', async () => {
    expect(await send('1@example.com')).toMatchObject({ provider: labelOf(server.url) })
    server.control.account = { status: 200, body: { SendingEnabled: false } }
    server.control.rule = () => ({ status: 400, type: 'SendingPausedException' })
    expect(await send('2@example.com')).toMatchObject({ provider: labelOf(second.url) })
    server.control.account = undefined
    server.control.rule = undefined
    await until(async () => expect(await send('3@example.com')).toMatchObject({ provider: labelOf(server.url) }))
  })

  test('a key that SES knows no more moves them too', async () => {
    server.control.account = { status: 403, type: 'UnrecognizedClientException' }
    server.control.rule = () => ({ status: 403, type: 'UnrecognizedClientException' })
    expect(await send('1@example.com')).toMatchObject({ provider: labelOf(second.url) })
  })

  test('what is paused for one alone stays, for now', async () => {
    server.control.rule = () => ({ status: 400, type: 'SendingPausedException' })
    await expect(send('1@example.com')).rejects.toMatchObject({ failure: 'temporary' })
    expect(second.mails).toEqual([])
  })

  test('a request that had left without an answer stays with it, and so does a refused recipient', async () => {
    server.control.rule = () => 'cut after'
    await expect(send('1@example.com')).rejects.toMatchObject({ failure: 'unconfirmed' })
    server.control.rule = () => ({ status: 400, type: 'BadRequestException', message: 'Illegal address' })
    await expect(send('2@example.com')).rejects.toMatchObject({ failure: 'recipient' })
    await server.stop()
    await until(async () => expect(await send('3@example.com')).toMatchObject({ provider: labelOf(second.url) }))
    await expect(send('1@example.com', { boundTo: labelOf(server.url) })).rejects.toMatchObject({ failure: 'outage' })
    expect(second.mails.flatMap(({ to }) => to)).not.toContain('1@example.com')
    await server.start()
  })

  test('the configuration set goes along, and what SES writes anew is in no signature of ours', async () => {
    const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    await provider.send({ ...mailTo('1@example.com'), dkim: { domain: 'acme.example', selector: 's1', privateKey } }, options())
    const [taken] = server.taken
    expect(taken?.configurationSet).toBe('mails')
    const signature = taken?.mime.slice(0, taken.mime.indexOf('\r\nFrom:')).replace(/\r\n\s+/g, ' ') ?? ''
    const names = /\bh=([^;]*);/.exec(signature)?.[1]?.toLowerCase().replace(/\s/g, '').split(':')
    expect(names).toEqual(expect.arrayContaining(['from', 'to', 'subject', 'mime-version']))
    expect(names).not.toContain('date')
    expect(names).not.toContain('message-id')
  })
})

describe('a try of the account', () => {
  const tried = () => trySes(server.url, 60_000)

  test('says what may be sent, and sends nothing', async () => {
    expect((await tried()).said).toMatch(/^http:\/\/127\.0\.0\.1:\d+ takes the key, 12 of 50000 mails in 24 hours, 14 a second$/)
    expect(server.taken).toEqual([])
  })

  test('says that the account is in the sandbox', async () => {
    server.control.account = { status: 200, body: { SendingEnabled: true, ProductionAccessEnabled: false } }
    expect((await tried()).said).toMatch(/takes the key; the account is in the sandbox: only to verified addresses$/)
  })

  test('that may not look at it says what to allow', async () => {
    server.control.account = { status: 403, type: 'AccessDeniedException' }
    expect((await tried()).said).toMatch(/may not look at the account: allow it ses:GetAccount$/)
  })

  test.each([
    ['may send nothing', { status: 200, body: { SendingEnabled: false } }, /cannot be used: the account may send nothing\.$/],
    ['was shut down', { status: 200, body: { SendingEnabled: true, EnforcementStatus: 'SHUTDOWN' } }, /may send nothing\.$/],
    ['is unknown', { status: 403, type: 'UnrecognizedClientException' }, /cannot be used: HTTP 403 UnrecognizedClientException: /],
    ['is of another service', { status: 200, body: { hello: 'world' } }, /cannot be used: HTTP 200\.$/],
  ])('throws where it %s', async (_, account, sentence) => {
    server.control.account = account
    await expect(tried()).rejects.toThrow(sentence)
  })

  test('shows no part of a key, whatever the server repeats', async () => {
    const { keyId, secret } = server
    server.control.account = { status: 500, body: { message: `${keyId} ${secret} is no key` } }
    await expect(tried()).rejects.toThrow(/HTTP 500: \[redacted\] \[redacted\] is no key\.$/)
    const wrong = server.url.replace(/:[^:@/]+@/, ':wrong-hunter2@')
    await expect(trySes(wrong, 60_000)).rejects.toThrow(/^(?!.*hunter2).*HTTP 403 UnrecognizedClientException/)
  })
})
