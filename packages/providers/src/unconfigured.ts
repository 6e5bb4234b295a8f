import { DeliveryError } from './port.ts'
import type { PushProvider } from './push/port.ts'
import type { SmsProvider } from './sms/port.ts'
import type { VoiceProvider } from './voice/port.ts'

/** A provider that is not configured: nothing can leave, which an attempt finds like an outage that does not end while the process runs. */
function unconfigured(why: string) {
  return {
    name: 'none',
    callMs: 10_000,
    outage: () => why,
    fail: async (): Promise<never> => {
      throw new DeliveryError('outage', why)
    },
    close: async () => undefined,
  }
}

/** The provider of an installation without one for text messages: none can leave. */
export function createUnconfiguredSmsProvider(): SmsProvider {
  const { fail, ...provider } = unconfigured('No SMS provider is configured.')
  return { ...provider, send: fail }
}

/** The provider of an installation without one for calls: none can be made. */
export function createUnconfiguredVoiceProvider(): VoiceProvider {
  const { fail, ...provider } = unconfigured('No voice provider is configured.')
  return { ...provider, call: fail }
}

/** The provider of an installation without keys for web push: no push can leave. */
export function createUnconfiguredPushProvider(): PushProvider {
  const { fail, ...provider } = unconfigured('No keys for web push are configured.')
  return { ...provider, send: fail }
}
