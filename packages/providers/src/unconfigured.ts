import { DeliveryError } from './port.ts'

/** A provider that is not configured: nothing can leave, which an attempt finds like an outage that does not end while the process runs. */
export function unconfigured(why: string) {
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
