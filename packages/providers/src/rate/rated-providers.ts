import type { SmsProvider } from '../sms/port.ts'
import type { VoiceProvider } from '../voice/port.ts'
import type { SendRate } from './send-rate.ts'

/** The same provider, whose messages wait for their time before anything else: before its own queue, and before the fence. */
export function ratedSmsProvider(provider: SmsProvider, rate: SendRate, { first }: Readonly<{ first: boolean }>): SmsProvider {
  return {
    ...provider,
    send: async (message, options) => {
      await rate.wait({ signal: options.signal, first })
      return await provider.send(message, options)
    },
  }
}

/** The same for calls. */
export function ratedVoiceProvider(provider: VoiceProvider, rate: SendRate): VoiceProvider {
  return {
    ...provider,
    call: async (call, options) => {
      await rate.wait({ signal: options.signal, first: true })
      return await provider.call(call, options)
    },
  }
}
