import { startSmtpSink } from '@tidings/testing/smtp-sink'
import { expect, test } from 'vitest'
import { checkEmailProvider } from '../../src/doctor/providers.ts'

const check = (provider: string, environment: 'production' | 'development' = 'production', rate: number | null = null) =>
  checkEmailProvider({
    email: { provider, rate, timeoutMs: 60_000 },
    environment,
    sending: { allowOutbox: 0 },
  })

test('the outbox is content in development, and a mistake in production', async () => {
  expect(await check('outbox', 'development')).toContain('nothing leaves this machine')
  await expect(check('outbox')).rejects.toThrow('no provider is configured')
})

test('a relay that takes the login is fine; one that does not is named with its words, and without the password', async () => {
  const sink = await startSmtpSink({
    allowInsecureAuth: true,
    onAuth: ({ password }, _, done) => (password === 'right' ? done(null, { user: 'shop' }) : done(new Error('not you'))),
  })
  const withPassword = (password: string) => sink.url.replace('://', `://shop:${password}@`)
  expect(await check(withPassword('right'))).toMatch(/^127\.0\.0\.1:\d+ answers \(without TLS, logged in\)$/)
  await expect(check(withPassword('wr0ng'))).rejects.toThrow(/^(?!.*wr0ng).*Invalid login: 535 not you/)
  expect(await check(withPassword('right'), 'production', 14)).toMatch(/logged in\); at most 14 mails a second$/)
  const elsewhere = `${withPassword('right').replace('127.0.0.1', '0.0.0.0')}?tls=optional`
  expect(await check(elsewhere)).toMatch(/logged in\); tls=optional: the password may be sent in clear$/)
  await sink.stop()
})

test('a port that is open and speaks no SMTP is no relay', async () => {
  const sink = await startSmtpSink({ banner: 'x' })
  const speaksTls = sink.url.replace('smtp:', 'smtps:')
  await expect(check(speaksTls)).rejects.toThrow('cannot be used')
  await sink.stop()
})

test('each of several relays is tried, and the sentence says which one fails', async () => {
  const [first, second] = await Promise.all([startSmtpSink(), startSmtpSink()])
  const [a, b] = [new URL(first.url).host, new URL(second.url).host]
  expect(await check(`${first.url},${second.url}`)).toBe(
    `${a}: ${a} answers (without TLS, without a login) | ${b}: ${b} answers (without TLS, without a login)`,
  )
  await second.stop()
  const setting = `${first.url},${second.url.replace('://', '://shop:hunter2@')}`
  await expect(check(setting)).rejects.toThrow(
    new RegExp(`^(?!.*hunter2)1 of 2 can be used, and messages leave by it: ${a}: ${a} answers .* \\| ${b} FAILS: `),
  )
  await first.stop()
})
