import { loadConfig } from '@tidings/config'
import { startSmsc } from '@tidings/testing/smsc'
import { startTwilioServer } from '@tidings/testing/twilio-server'
import { describe, expect, test } from 'vitest'
import { checkSmsProvider, checkVoiceProvider } from '../../src/doctor/providers.ts'

const configOf = (env: Readonly<Record<string, string>>) => loadConfig({ TIDINGS_PROVIDER_TIMEOUT_MS: '60000', ...env }, null)
const checkSms = (TIDINGS_SMS_PROVIDER: string) => checkSmsProvider(configOf({ TIDINGS_SMS_PROVIDER }))

test('the outbox is content in development; in production there may be no provider, and it says what that means', async () => {
  const production = configOf({ NODE_ENV: 'production', TIDINGS_ALLOW_OUTBOX: 'voice' })
  expect(await checkSmsProvider(configOf({}))).toContain('nothing leaves this machine')
  expect(await checkVoiceProvider(production)).toContain('nothing leaves this machine')
  expect(await checkSmsProvider(production)).toBe('none is configured: text messages stay queued, and passcodes by text are refused')
  expect(await checkVoiceProvider(configOf({ NODE_ENV: 'production' }))).toBe('none is configured: passcodes by call are refused')
})

describe('an API that speaks Twilio’s', () => {
  test('is fine where it takes the account, and nothing is sent', async () => {
    const twilio = await startTwilioServer()
    expect(await checkSms(twilio.url)).toMatch(/^http:\/\/127\.0\.0\.1:\d+ answers, and takes the account$/)
    expect(await checkVoiceProvider(configOf({ TIDINGS_VOICE_PROVIDER: twilio.url }))).toContain('takes the account')
    expect([twilio.requests.map(({ resource }) => resource), twilio.taken]).toEqual([['Messages', 'Calls'], []])
    await twilio.stop()
  })

  test('is named with its words, and without the token, where it does not', async () => {
    const twilio = await startTwilioServer()
    await expect(checkSms(twilio.url.replace(twilio.account.token, 's3cret'))).rejects.toThrow(
      /^(?!.*s3cret).*HTTP 401, 20003: Authenticate\.$/,
    )
    await twilio.stop()
    await expect(checkSms(twilio.url)).rejects.toThrow(/cannot be used/)
  })
})

describe('an SMSC', () => {
  test('is fine where it takes the bind, and nothing is submitted', async () => {
    const smsc = await startSmsc()
    expect(await checkSms(smsc.url)).toMatch(/takes the bind \(without TLS\)$/)
    expect(smsc.heard).toEqual(['bind_transceiver', 'unbind'])
    expect(smsc.submitted).toEqual([])
    await smsc.stop()
  })

  test('that does not know the user says so, without the password', async () => {
    const smsc = await startSmsc()
    smsc.rules.bind = () => 0x0e
    await expect(checkSms(smsc.url.replace(/:[^:@/]+@/, ':s3cret@'))).rejects.toThrow(/^(?!.*s3cret).*the password is wrong/)
    await smsc.stop()
  })
})
