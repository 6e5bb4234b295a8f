import { loadConfig } from '@tidings/config'
import { createLog } from '@tidings/observability/log'
import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { createPhoneProviders } from '../../src/providers/phone-providers.ts'
import { openPushProvider } from '../../src/providers/push-provider.ts'

/** Nothing is stored here: no test of this file sends. */
const pool = {} as Pool
const reports = () => ({ onSubmitted: async () => undefined, onReceipt: async () => 'taken' as const, onInbound: async () => undefined })
const TWILIO = 'twilio://AC1:t0ken@127.0.0.1:9?protocol=http'

const timesOf = async (env: Readonly<Record<string, string>>) => {
  const log = await createLog({ level: 'silent', to: 'stderr' })
  const phones = { TIDINGS_SMS_PROVIDER: TWILIO, TIDINGS_VOICE_PROVIDER: TWILIO, TIDINGS_PUSH_PROVIDER: 'web-push' }
  const vapid = {
    TIDINGS_VAPID_PRIVATE_KEY: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
    TIDINGS_VAPID_SUBJECT: 'mailto:ops@acme.example',
  }
  const config = loadConfig({ ...phones, ...vapid, ...env }, null)
  const { sms, passcodeSms, voice, close } = await createPhoneProviders({ config, log, pool, reports })
  const push = await openPushProvider({ config, log, pool })
  await Promise.all([close(), push.close()])
  return [sms, passcodeSms, voice, push].map(({ callMs }) => callMs)
}

test('text messages, calls and pushes have their own time, else that of all providers', async () => {
  expect(await timesOf({})).toEqual([10_000, 10_000, 10_000, 10_000])
  expect(await timesOf({ TIDINGS_PROVIDER_TIMEOUT_MS: '3000' })).toEqual([3_000, 3_000, 3_000, 3_000])
  const own = { TIDINGS_SMS_TIMEOUT_MS: '700', TIDINGS_VOICE_TIMEOUT_MS: '800', TIDINGS_PUSH_TIMEOUT_MS: '900' }
  expect(await timesOf({ ...own, TIDINGS_PROVIDER_TIMEOUT_MS: '3000' })).toEqual([700, 700, 800, 900])
  expect(await timesOf({ ...own, TIDINGS_SMS_RATE: '10' })).toEqual([700, 700, 800, 900])
})
