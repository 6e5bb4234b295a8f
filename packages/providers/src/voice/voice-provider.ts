import { createOutboxVoiceProvider } from '../outbox/outbox-voice-provider.ts'
import type { SmsProviderSettings } from '../sms/sms-provider-settings.ts'
import { parseTwilioUrl } from '../twilio/account.ts'
import type { VoiceProvider } from './port.ts'

/** `provider`: `outbox`, or `twilio://SID:TOKEN@host[:port]?protocol=https&callerId=%2B972…`; the rest as for SMS. */
export type VoiceProviderSettings = Omit<SmsProviderSettings, 'onSubmitted' | 'onReceipt' | 'onInbound' | 'onWarning'>

/** The configured provider of calls. A client is loaded only where it is used. Throws one sentence, without a secret, for an address it cannot use. */
export async function createVoiceProvider({ provider, pool, ...settings }: VoiceProviderSettings): Promise<VoiceProvider> {
  if (provider === 'outbox') return createOutboxVoiceProvider(pool)
  if (provider.startsWith('twilio://')) {
    const account = parseTwilioUrl(provider, 'voice')
    const { createTwilioVoiceProvider } = await import('../twilio/twilio-voice-provider.ts')
    return createTwilioVoiceProvider({ account, ...settings })
  }
  if (provider.startsWith('smpp://')) throw new Error('The voice provider cannot be smpp://: SMPP carries text messages only.')
  throw new Error('The voice provider must be "outbox", or an address that starts with twilio://.')
}
