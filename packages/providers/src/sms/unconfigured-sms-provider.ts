import { unconfigured } from '../unconfigured.ts'
import type { SmsProvider } from './port.ts'

/** Where text messages have no provider: none can leave. */
export function createUnconfiguredSmsProvider(): SmsProvider {
  const { fail, ...provider } = unconfigured('No SMS provider is configured.')
  return { ...provider, send: fail }
}
