import { unconfigured } from '../unconfigured.ts'
import type { PushProvider } from './port.ts'

/** The provider of an installation without keys for web push: no push can leave. */
export function createUnconfiguredPushProvider(): PushProvider {
  const { fail, ...provider } = unconfigured('No keys for web push are configured.')
  return { ...provider, send: fail }
}
