import { type Config, OperationFailed, publicUrl } from '@tidings/config'
import type { Log } from '@tidings/log'
import { createSmsProvider, createVoiceProvider, type SmsProvider, type SmsProviderSettings, type VoiceProvider } from '@tidings/providers'
import type { Pool } from 'pg'
import { createOutageReport } from './report-outage.ts'

/** What a provider reports over its own connection (SMPP). Both must have stored it when they resolve. */
type ProviderReports = Pick<SmsProviderSettings, 'onReceipt' | 'onInbound'>

/** `pool`: of workers. */
type Parts = Readonly<{ config: Config; log: Log; pool: Pool; reports: ProviderReports }>

/** The providers of what goes to a phone, one of each in a process: passcodes and the lanes of messages share its connections. */
export type PhoneProviders = Readonly<{ sms: SmsProvider; voice: VoiceProvider; close: () => Promise<void> }>

/** Throws one sentence, without a secret, for an address that cannot be used. A provider that cannot be reached is an outage, not an error. */
export async function createPhoneProviders({ config, log, pool, reports }: Parts): Promise<PhoneProviders> {
  const shared = { publicUrl: publicUrl(config.http), pool, callMs: config.email.timeoutMs }
  const sms = await usable(
    'TIDINGS_SMS_PROVIDER',
    createSmsProvider({
      ...shared,
      ...reports,
      provider: config.sms.provider,
      onOutage: createOutageReport(log, 'sms'),
      onWarning: (sentence) => log.warn(sentence),
    }),
  )
  const voice = await usable(
    'TIDINGS_VOICE_PROVIDER',
    createVoiceProvider({ ...shared, provider: config.voice.provider, onOutage: createOutageReport(log, 'voice') }),
  ).catch(async (error: unknown) => {
    await sms.close()
    throw error
  })
  return { sms, voice, close: async () => void (await Promise.all([sms.close(), voice.close()])) }
}

async function usable<Provider>(setting: string, creating: Promise<Provider>): Promise<Provider> {
  try {
    return await creating
  } catch (error) {
    throw new OperationFailed(`${setting} cannot be used. ${error instanceof Error ? error.message : String(error)}`)
  }
}
