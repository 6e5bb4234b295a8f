import { unconfigured } from '../unconfigured.ts'
import type { VoiceProvider } from './port.ts'

/** The provider of an installation without one for calls: none can be made. */
export function createUnconfiguredVoiceProvider(): VoiceProvider {
  const { fail, ...provider } = unconfigured('No voice provider is configured.')
  return { ...provider, call: fail }
}
