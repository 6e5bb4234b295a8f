import { DeliveryError } from '../port.ts'
import type { VoiceProvider } from './port.ts'

const WHY = 'No voice provider is configured.'

/** The same for calls as where text messages have no provider. */
export function createUnconfiguredVoiceProvider(): VoiceProvider {
  return {
    name: 'none',
    callMs: 10_000,
    outage: () => WHY,
    call: async () => {
      throw new DeliveryError('outage', WHY)
    },
    close: async () => undefined,
  }
}
