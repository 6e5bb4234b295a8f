import { type Config, hasProvider, providerTimeoutMs, publicUrl, unusable } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import {
  createSendRate,
  createSmsProvider,
  createUnconfiguredSmsProvider,
  createUnconfiguredVoiceProvider,
  createVoiceProvider,
  ratedSmsProvider,
  ratedVoiceProvider,
  reserveTimesIn,
  type SmsProvider,
  type VoiceProvider,
} from '@tidings/providers'
import type { Pool } from 'pg'
import type { PhoneReports } from './phone-reports.ts'
import { createOutageReports } from './report-outage.ts'

/** `pool`: of workers. */
type PhoneSetup = Readonly<{ config: Config; log: Log; pool: Pool; reports: PhoneReports }>

/**
 * The providers of what goes to a phone, one of each in a process. `sms` and `passcodeSms` are one, so that they share its places and its rate:
 * passcodes go before what else waits in this process.
 */
export type PhoneProviders = Readonly<{ sms: SmsProvider; passcodeSms: SmsProvider; voice: VoiceProvider; close: () => Promise<void> }>

/**
 * Throws one sentence, without a secret, for an address that cannot be used. A provider that cannot be reached is an outage, not an error; so
 * is one that is not configured, in production, and one log line says so: an installation may send mail alone.
 */
export async function createPhoneProviders(setup: PhoneSetup): Promise<PhoneProviders> {
  const { config, log, pool } = setup
  const unset = (['sms', 'voice'] as const).filter((channel) => !hasProvider(config, channel))
  if (unset.length > 0) log.warn(unset.map((channel) => UNCONFIGURED[channel]).join('; '))
  const sms = unset.includes('sms') ? createUnconfiguredSmsProvider() : await configuredSms(setup)
  const voice = unset.includes('voice')
    ? createUnconfiguredVoiceProvider()
    : await configuredVoice(setup).catch(async (error: unknown) => {
        await sms.close()
        throw error
      })
  const close = async () => void (await Promise.all([sms.close(), voice.close()]))
  return { ...atRate({ sms, voice }, config.sms.rate, pool), close }
}

const UNCONFIGURED = {
  sms: 'TIDINGS_SMS_PROVIDER is not set: text messages stay queued, and passcodes by text are refused, until it is',
  voice: 'TIDINGS_VOICE_PROVIDER is not set: passcodes by call are refused until it is',
} as const

/** What every provider of a channel is opened with: its section of the configuration among it, with its own settings. */
const optionsOf = ({ config, pool }: PhoneSetup, channel: 'sms' | 'voice') => ({
  publicUrl: publicUrl(config.http),
  pool,
  callMs: providerTimeoutMs(config, channel),
})

const configuredSms = (setup: PhoneSetup): Promise<SmsProvider> => {
  const { config, log, reports } = setup
  const onWarning = (sentence: string) => log.warn(sentence)
  const reported = createOutageReports(log, 'sms', config.sms.provider)
  const each = (label: string) => ({ ...reports(label), onOutage: reported(label) })
  return createSmsProvider({ ...config.sms, ...optionsOf(setup, 'sms'), each, onWarning }).catch((error: unknown) => {
    throw unusable('TIDINGS_SMS_PROVIDER', error)
  })
}

const configuredVoice = (setup: PhoneSetup): Promise<VoiceProvider> => {
  const { config, log } = setup
  const reported = createOutageReports(log, 'voice', config.voice.provider)
  const each = (label: string) => ({ onOutage: reported(label) })
  return createVoiceProvider({ ...config.voice, ...optionsOf(setup, 'voice'), each }).catch((error: unknown) => {
    throw unusable('TIDINGS_VOICE_PROVIDER', error)
  })
}

type PhoneSenders = Readonly<{ sms: SmsProvider; voice: VoiceProvider }>

function atRate({ sms, voice }: PhoneSenders, perSecond: number | null, pool: Pool): PhoneSenders & Readonly<{ passcodeSms: SmsProvider }> {
  if (perSecond === null) return { sms, passcodeSms: sms, voice }
  const rateOf = (name: string) => createSendRate({ perSecond, reserve: reserveTimesIn(pool, name) })
  const rated = ratedSmsProvider(sms, rateOf('sms'))
  return {
    sms: rated,
    passcodeSms: rated,
    voice: ratedVoiceProvider(voice, rateOf('voice')),
  }
}
