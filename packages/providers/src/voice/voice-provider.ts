import { createOutboxVoiceProvider } from '../outbox/outbox-voice-provider.ts'
import type { SmsProviderSettings } from '../sms/sms-provider-settings.ts'
import { parseTwilioUrl } from '../twilio/account.ts'
import { createTwilioVoiceProvider } from '../twilio/twilio-voice-provider.ts'
import type { VoiceProvider } from './port.ts'

/** `provider`: `outbox`, or `twilio://SID:TOKEN@host[:port]?protocol=https&callerId=%2B972…`; the rest as for SMS. */
export type VoiceProviderSettings = Omit<SmsProviderSettings, 'onReceipt' | 'onInbound'>

/** The configured provider of calls. Throws one sentence, without a secret, for an address it cannot use. */
export function createVoiceProvider({ provider, pool, ...settings }: VoiceProviderSettings): VoiceProvider {
  if (provider === 'outbox') return createOutboxVoiceProvider(pool)
  if (provider.startsWith('twilio://')) return createTwilioVoiceProvider({ account: parseTwilioUrl(provider, 'voice'), ...settings })
  if (provider.startsWith('smpp://')) throw new Error('The voice provider cannot be smpp://: SMPP carries text messages only.')
  throw new Error('The voice provider must be "outbox", or an address that starts with twilio://.')
}
