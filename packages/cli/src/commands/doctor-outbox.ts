import { type Config, mayUseOutbox, type ProviderChannel } from '@tidings/config'

/** What there is to say of the outbox; null where another provider is set. Throws where messages must not stay in it. */
export function outboxOf(
  config: Pick<Config, 'environment' | 'sending'> & Partial<Pick<Config, ProviderChannel>>,
  channel: ProviderChannel,
): string | null {
  if (config[channel]?.provider !== 'outbox') return null
  if (!mayUseOutbox(config, channel)) throw new Error('no provider is configured: messages stay in the development outbox.')
  return 'the development outbox, nothing leaves this machine'
}
