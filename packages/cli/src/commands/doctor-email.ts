import { type Config, mayUseOutbox } from '@tidings/config'
import { tryRelay } from '@tidings/providers'

/** Tries the port, TLS and login that sending uses; throws one sentence when mail could not leave. */
export async function checkEmailProvider({ email, ...outbox }: Pick<Config, 'email' | 'environment' | 'sending'>): Promise<string> {
  if (email.provider === 'outbox') {
    if (!mayUseOutbox(outbox, 'email')) throw new Error('no provider is configured: messages stay in the development outbox.')
    return 'the development outbox, nothing leaves this machine'
  }
  const { host, port, tls, user, lifted } = await tryRelay(email.provider, email.timeoutMs)
  const how = [tls ?? 'without TLS', user === null ? 'without a login' : 'logged in']
  return [`${host}:${port} answers (${how.join(', ')})`, ...lifted].join('; ')
}
