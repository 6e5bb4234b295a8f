import { unconfigured } from '../unconfigured.ts'
import type { VoiceProvider } from './port.ts'

/** Where calls have no provider: none can be made. */
export function createUnconfiguredVoiceProvider(): VoiceProvider {
  const { fail, ...provider } = unconfigured('No voice provider is configured.')
  return { ...provider, call: fail }
}
