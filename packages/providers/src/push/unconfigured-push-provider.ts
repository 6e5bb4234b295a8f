import { unconfigured } from '../unconfigured.ts'
import type { PushProvider } from './port.ts'

/** Where web push has no keys: no push can leave. */
export function createUnconfiguredPushProvider(): PushProvider {
  const { fail, ...provider } = unconfigured('No keys for web push are configured.')
  return { ...provider, send: fail }
}
