import { createOutboxSmsProvider } from '../outbox/outbox-sms-provider.ts'
import { parseTwilioUrl } from '../twilio/account.ts'
import type { SmsProvider } from './port.ts'
import type { SmsProviderSettings } from './sms-provider-settings.ts'

/** The configured SMS provider. A client is loaded only where it is used. Throws one sentence, without a secret, for an address it cannot use. */
export async function createSmsProvider({ provider, pool, ...settings }: SmsProviderSettings): Promise<SmsProvider> {
  if (provider === 'outbox') return createOutboxSmsProvider(pool)
  if (provider.startsWith('twilio://')) {
    const { onSubmitted: _, onReceipt: __, onInbound: ___, onWarning: ____, ...limits } = settings
    const account = parseTwilioUrl(provider, 'SMS')
    const { createTwilioSmsProvider } = await import('../twilio/twilio-sms-provider.ts')
    return createTwilioSmsProvider({ account, ...limits })
  }
  if (/^smpps?:\/\//.test(provider)) {
    const { createSmppProvider } = await import('../smpp/smpp-provider.ts')
    return await createSmppProvider({ url: provider, ...settings })
  }
  throw new Error('The SMS provider must be "outbox", or an address that starts with twilio://, smpp:// or smpps://.')
}
