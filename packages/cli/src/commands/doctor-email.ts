import type { Config } from '@tidings/config'
import { tryRelay } from '@tidings/providers'
import { outboxOf } from './doctor-outbox.ts'

/** Tries the port, TLS and login that sending uses; throws one sentence when mail could not leave. */
export async function checkEmailProvider(config: Pick<Config, 'email' | 'environment' | 'sending'>): Promise<string> {
  const inOutbox = outboxOf(config, 'email', () => {
    throw new Error('no provider is configured: messages stay in the development outbox.')
  })
  if (inOutbox !== null) return inOutbox
  const { email } = config
  const { host, port, tls, user, lifted } = await tryRelay(email.provider, email.timeoutMs)
  const how = [tls ?? 'without TLS', user === null ? 'without a login' : 'logged in']
  const rate = email.rate === null ? [] : [`at most ${email.rate} mails a second`]
  return [`${host}:${port} answers (${how.join(', ')})`, ...rate, ...lifted].join('; ')
}
