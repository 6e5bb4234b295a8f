import { DeliveryError } from '../port.ts'
import type { PushProvider } from './port.ts'

const WHY = 'No keys for web push are configured.'

/** Where web push has no keys: no push can leave, which an attempt finds like an outage that does not end while the process runs. */
export function createUnconfiguredPushProvider(): PushProvider {
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
