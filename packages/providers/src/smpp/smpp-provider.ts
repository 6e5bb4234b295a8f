import type { SmsProvider } from '../sms/port.ts'
import type { SmsProviderSettings } from '../sms/sms-provider-settings.ts'

/** `url`: `smpp://user:pass@host:port`. */
export type SmppSettings = Readonly<{ url: string }> & Omit<SmsProviderSettings, 'provider' | 'pool'>

export async function createSmppProvider(_: SmppSettings): Promise<SmsProvider> {
  throw new Error('The SMS provider cannot be smpp:// yet.')
}
