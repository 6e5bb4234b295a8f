import type { Pool } from 'pg'
import { describe, expect, test } from 'vitest'
import { createSmsProvider, createVoiceProvider } from '../../src/open-provider.ts'

/** Nothing is stored here: no test of this file sends. */
const settings = { publicUrl: 'http://127.0.0.1:3000', pool: {} as Pool }

describe('the setting of the SMS provider', () => {
  test.each([
    ['outbox', 'outbox'],
    ['twilio://AC1:t@api.twilio.com', 'api.twilio.com:443'],
    ['twilio://AC1:t@127.0.0.1:8080?protocol=http', '127.0.0.1:8080'],
  ])('%s is called %s', async (provider, name) => {
    const created = await createSmsProvider({ ...settings, provider })
    expect(created).toMatchObject({ name, callMs: 10_000 })
    expect(created.outage()).toBeNull()
    await created.close()
  })

  test.each([
    '',
    'Outbox',
    'https://AC1:s3cret@api.twilio.com',
    'smtp://u:s3cret@host',
    'TWILIO://AC1:s3cret@host',
    'twilio://AC1:s3cret@',
  ])('%j cannot be used, and one sentence without a secret says so', async (provider) => {
    const failed = createSmsProvider({ ...settings, provider })
    await expect(failed).rejects.toThrow(/^The SMS provider [^\n]*\.$/)
    await expect(failed).rejects.not.toThrow(/s3cret/)
  })
})

describe('the setting of the provider of calls', () => {
  test('is the outbox, or an API that speaks Twilio’s', async () => {
    expect(await createVoiceProvider({ ...settings, provider: 'outbox' })).toMatchObject({ name: 'outbox' })
    const twilio = await createVoiceProvider({ ...settings, provider: 'twilio://AC1:t@api.twilio.com' })
    expect(twilio).toMatchObject({ name: 'api.twilio.com:443', callMs: 10_000 })
    await twilio.close()
  })

  test.each(['', 'smpp://u:s3cret@host', 'https://AC1:s3cret@host', 'twilio://AC1@host'])('%j cannot be used', async (provider) => {
    const failed = createVoiceProvider({ ...settings, provider })
    await expect(failed).rejects.toThrow(/^The voice provider [^\n]*\.$/)
    await expect(failed).rejects.not.toThrow(/s3cret/)
  })
})
