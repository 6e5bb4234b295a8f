import { type Config, OperationFailed, publicUrl } from '@tidings/config'
import type { Log } from '@tidings/log'
import {
  createSendRate,
  createSmsProvider,
  createVoiceProvider,
  ratedSmsProvider,
  ratedVoiceProvider,
  reserveTimesIn,
  type SmsProvider,
  type VoiceProvider,
} from '@tidings/providers'
import type { Pool } from 'pg'
import type { PhoneReports } from './phone-reports.ts'
import { createOutageReport } from './report-outage.ts'

/** `pool`: of workers. */
type Parts = Readonly<{ config: Config; log: Log; pool: Pool; reports: PhoneReports }>

/**
 * The providers of what goes to a phone, one of each in a process. `sms` and `passcodeSms` share a provider and its rate: passcodes go
 * before what else waits in this process.
 */
export type PhoneProviders = Readonly<{ sms: SmsProvider; passcodeSms: SmsProvider; voice: VoiceProvider; close: () => Promise<void> }>

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
  const close = async () => void (await Promise.all([sms.close(), voice.close()]))
  return { ...atRate({ sms, voice }, config.sms.rate, pool), close }
}

type Senders = Omit<PhoneProviders, 'close'>

function atRate({ sms, voice }: Omit<Senders, 'passcodeSms'>, perSecond: number | null, pool: Pool): Senders {
  if (perSecond === null) return { sms, passcodeSms: sms, voice }
  const rateOf = (name: string) => createSendRate({ perSecond, reserve: reserveTimesIn(pool, name) })
  const rate = rateOf('sms')
  return {
    sms: ratedSmsProvider(sms, rate, { first: false }),
    passcodeSms: ratedSmsProvider(sms, rate, { first: true }),
    voice: ratedVoiceProvider(voice, rateOf('voice')),
  }
}

async function usable<Provider>(setting: string, creating: Promise<Provider>): Promise<Provider> {
  try {
    return await creating
  } catch (error) {
    throw new OperationFailed(`${setting} cannot be used. ${error instanceof Error ? error.message : String(error)}`)
  }
}
