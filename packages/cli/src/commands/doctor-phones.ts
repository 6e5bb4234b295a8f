import type { Config } from '@tidings/config'
import { trySmsProvider, tryVoiceProvider } from '@tidings/providers'
import { outboxOf } from './doctor-outbox.ts'

type Settings = Pick<Config, 'sms' | 'voice' | 'email' | 'environment' | 'sending'>

const NO_TEXTS = 'none is configured: text messages stay queued, and passcodes by text are refused'
const NO_CALLS = 'none is configured: passcodes by call are refused'

/** Tries the provider of text messages; throws one sentence when none could leave. An installation may do without one. */
export async function checkSmsProvider(config: Settings): Promise<string> {
  return outboxOf(config, 'sms', () => NO_TEXTS) ?? (await trySmsProvider(config.sms.provider, config.email.timeoutMs))
}

/** Tries the provider of calls; throws one sentence when none could be made. */
export async function checkVoiceProvider(config: Settings): Promise<string> {
  return outboxOf(config, 'voice', () => NO_CALLS) ?? (await tryVoiceProvider(config.voice.provider, config.email.timeoutMs))
}
