import { unconfigured } from '../unconfigured.ts'
import type { SmsProvider } from './port.ts'

/** The provider of an installation without one for text messages: none can leave. */
export function createUnconfiguredSmsProvider(): SmsProvider {
  const { fail, ...provider } = unconfigured('No SMS provider is configured.')
  return { ...provider, send: fail }
}
