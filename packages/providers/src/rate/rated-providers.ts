import type { EmailProvider } from '../email/port.ts'
import type { SendOptions } from '../port.ts'
import type { SmsProvider } from '../sms/port.ts'
import type { VoiceProvider } from '../voice/port.ts'
import type { SendRate } from './send-rate.ts'
import { withToken } from './with-token.ts'

/** The same provider, whose messages wait for a token of the rate when a place is free for them, right before the fence. */
export function ratedSmsProvider(provider: SmsProvider, rate: SendRate): SmsProvider {
  return { ...provider, send: ratedCall(rate, provider.send) }
}

/** The same for calls. */
export function ratedVoiceProvider(provider: VoiceProvider, rate: SendRate): VoiceProvider {
  return { ...provider, call: ratedCall(rate, provider.call) }
}

/** The same for mails. */
export function ratedEmailProvider(provider: EmailProvider, rate: SendRate): EmailProvider {
  return { ...provider, send: ratedCall(rate, provider.send) }
}

type Call<Message> = (message: Message, options: SendOptions) => Promise<Readonly<{ providerMessageId: string }>>

const ratedCall =
  <Message extends Readonly<{ workspaceId: string }>>(rate: SendRate, call: Call<Message>): Call<Message> =>
  (message, options) =>
    call(message, withToken(rate, message, options))
