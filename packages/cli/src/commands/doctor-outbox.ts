import { type Config, hasProvider, type ProviderChannel } from '@tidings/config'

/** What there is to say of the outbox; null where another provider is set. `none`: what is so where messages must not stay in it. */
export function outboxOf<Channel extends ProviderChannel>(
  config: Pick<Config, 'environment' | 'sending' | Channel>,
  channel: Channel,
  none: () => string,
): string | null {
  if (config[channel].provider !== 'outbox') return null
  return hasProvider(config, channel) ? 'the development outbox, nothing leaves this machine' : none()
}
