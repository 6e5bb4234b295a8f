import type { MessageId } from '@tidings/domain'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EmailMessage, EmailProvider } from '../../src/email/port.ts'
import type { SendOptions } from '../../src/port.ts'
import { smtp } from '../../src/smtp/smtp.ts'
import { smtpProvider } from '../../src/smtp/smtp-provider.ts'
import { mail as message } from '../email/mail.fixture.ts'

const options: SendOptions = { signal: new AbortController().signal, fence: async () => undefined, priority: 'transactional' }
const publicUrl = 'http://127.0.0.1:3000'

let sink: SmtpSink
let provider: EmailProvider
beforeEach(async () => {
  sink = await startSmtpSink()
  provider = smtpProvider({ ...smtp.limits, url: sink.url, publicUrl, connections: 3, callMs: 60_000 })
})
afterEach(async () => {
  vi.useRealTimers()
  await provider.close()
  await sink.stop()
})

const failing = (changes: Partial<EmailMessage> = {}) => provider.send({ ...message, ...changes }, options).catch((error: unknown) => error)

describe('mail over SMTP', () => {
  test('arrives as it was built, and its provider id is its Message-ID', async () => {
    const { providerMessageId, response } = await provider.send(message, options)
    expect(response).toMatch(/^250 /)
    expect(providerMessageId).toMatch(new RegExp(`^${message.messageId}\\.[0-9a-z]{25}@\\[127\\.0\\.0\\.1\\]$`))
    expect(sink.mails[0]).toMatchObject({ from: 'hello@acme.example', to: ['ada@example.com'] })
    expect(sink.mails[0]?.raw).toContain(`Message-ID: <${providerMessageId}>`)
  })

  test('bounces to an address of its own where there is one, and its headers stay', async () => {
    const returnPaths = { addressOf: (messageId: MessageId) => `bounces+${messageId}@acme.example` }
    const withPaths = smtpProvider({ ...smtp.limits, url: sink.url, publicUrl, returnPaths, callMs: 60_000 })
    await withPaths.send(message, options)
    await withPaths.close()
    expect(sink.mails[0]?.from).toBe(`bounces+${message.messageId}@acme.example`)
    expect(sink.mails[0]?.raw).toContain('From: Acme <hello@acme.example>')
  })

  test('is dated when it is handed over, at every attempt anew, and keeps its Message-ID', async () => {
    const dateOf = (n: number) => Date.parse(/^Date: (.*)$/m.exec(sink.mails[n]?.raw ?? '')?.[1] ?? '')
    const [begun, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const fence = () => {
      begun.resolve()
      return open.promise
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T10:00:00Z') })
    const first = provider.send(message, { ...options, fence })
    await begun.promise
    vi.setSystemTime(Date.parse('2026-11-21T13:00:00Z'))
    open.resolve()
    await first
    vi.setSystemTime(Date.parse('2026-11-22T10:00:00Z'))
    await provider.send(message, options)
    vi.useRealTimers()
    expect([dateOf(0), dateOf(1)]).toEqual([Date.parse('2026-11-21T13:00:00Z'), Date.parse('2026-11-22T10:00:00Z')])
    expect(new Set(sink.mails.map(({ raw }) => /^Message-ID: .*$/m.exec(raw)?.[0])).size).toBe(1)
  })

  test('many at once share few connections', async () => {
    await Promise.all(Array.from({ length: 50 }, () => provider.send(message, options)))
    expect(sink.mails).toHaveLength(50)
    expect(sink.connections()).toBeLessThanOrEqual(3)
  })

  test('the fence runs right before the call: when it rejects, nothing is sent', async () => {
    const fence = async () => Promise.reject(new Error('the lease is lost'))
    await expect(provider.send(message, { ...options, fence })).rejects.toThrow('the lease is lost')
    expect(sink.mails).toHaveLength(0)
  })

  test('a connection that the server closed while it was idle is not used again', async () => {
    await provider.send(message, options)
    await sink.stop()
    await sink.start()
    await provider.send(message, options)
    expect(sink.mails).toHaveLength(2)
  })
})

describe('what a refusal means', () => {
  test('5xx to RCPT is about the recipient, and the session sends the next mail', async () => {
    sink.answers.rcpt = (to) => (to.startsWith('gone') ? { code: 550, message: '5.1.1 no such user' } : undefined)
    expect(await failing({ to: 'gone@example.com' })).toMatchObject({ failure: 'recipient', response: '550 5.1.1 no such user' })
    await provider.send(message, options)
    expect(sink.connections()).toBe(1)
  })

  test('5xx to the mail is about the mail, and keeps the server’s reply', async () => {
    sink.answers.data = () => ({ code: 554, message: '5.7.1 looks like spam' })
    expect(await failing()).toMatchObject({ failure: 'refused', response: '554 5.7.1 looks like spam' })
  })

  test('5xx before RCPT refuses us', async () => {
    sink.answers.mail = () => ({ code: 550, message: 'relaying denied' })
    expect(await failing()).toMatchObject({ failure: 'refused', response: '550 relaying denied' })
  })

  test('4xx to RCPT is temporary, and the receiver asks to retry', async () => {
    sink.answers.rcpt = () => ({ code: 451, message: 'greylisted' })
    expect(await failing()).toMatchObject({ failure: 'temporary', saidByReceiver: true })
  })

  test('4xx before RCPT is temporary, and the provider is the reason', async () => {
    sink.answers.mail = () => ({ code: 421, message: 'too busy' })
    expect(await failing()).toMatchObject({ failure: 'temporary', saidByReceiver: false })
  })
})

describe('a server that asks for a login', () => {
  const open = (user: string, pass: string) => {
    const url = new URL(sink.url)
    url.username = user
    url.password = pass
    return smtpProvider({ ...smtp.limits, url: url.href, publicUrl, callMs: 60_000 })
  }
  beforeEach(async () => {
    await sink.stop()
    sink = await startSmtpSink({
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        username === 'u@x' && password === 'p/w' ? done(null, { user: 'u' }) : done(new Error('who?')),
    })
  })

  test('gets the user and the password of the address', async () => {
    const known = open('u@x', 'p/w')
    await known.send(message, options)
    await known.close()
    expect(sink.mails).toHaveLength(1)
  })

  test('refuses us with a wrong one', async () => {
    const stranger = open('u@x', 'wrong')
    await expect(stranger.send(message, options)).rejects.toMatchObject({ failure: 'outage' })
    await stranger.close()
  })
})

test('TLS from the first byte, and an unknown certificate is not accepted', async () => {
  const secure = await startSmtpSink({ secure: true })
  const trusting = smtpProvider({ ...smtp.limits, url: `${secure.url}?verify=off`, publicUrl, callMs: 60_000 })
  const careful = smtpProvider({ ...smtp.limits, url: secure.url, publicUrl, callMs: 60_000 })
  await trusting.send(message, options)
  await expect(careful.send(message, options)).rejects.toMatchObject({ failure: 'outage' })
  expect(secure.mails).toHaveLength(1)
  await Promise.all([trusting.close(), careful.close()])
  await secure.stop()
})
