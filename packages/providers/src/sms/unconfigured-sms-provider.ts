import { DeliveryError } from '../port.ts'
import type { SmsProvider } from './port.ts'

const WHY = 'No SMS provider is configured.'

/** Where text messages have no provider: none can leave, which an attempt finds like an outage that does not end while the process runs. */
export function createUnconfiguredSmsProvider(): SmsProvider {
  return {
    name: 'none',
    callMs: 10_000,
    outage: () => WHY,
    send: async () => {
      throw new DeliveryError('outage', WHY)
    },
    close: async () => undefined,
  }
}
