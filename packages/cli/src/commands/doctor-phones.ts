import type { Config } from '@tidings/config'
import { trySmsProvider, tryVoiceProvider } from '@tidings/providers'
import { outboxOf } from './doctor-outbox.ts'

type Settings = Pick<Config, 'sms' | 'voice' | 'email' | 'environment' | 'sending'>

/** Tries the provider of text messages; throws one sentence when none could leave. */
export async function checkSmsProvider(config: Settings): Promise<string> {
  return outboxOf(config, 'sms') ?? (await trySmsProvider(config.sms.provider, config.email.timeoutMs))
}

/** Tries the provider of calls; throws one sentence when none could be made. */
export async function checkVoiceProvider(config: Settings): Promise<string> {
  return outboxOf(config, 'voice') ?? (await tryVoiceProvider(config.voice.provider, config.email.timeoutMs))
}
