import type { Config } from '@tidings/config'
import { tryRelay } from '@tidings/providers'
import { outboxOf } from './doctor-outbox.ts'

/** Tries the port, TLS and login that sending uses; throws one sentence when mail could not leave. */
export async function checkEmailProvider({ email, ...outbox }: Pick<Config, 'email' | 'environment' | 'sending'>): Promise<string> {
  const inOutbox = outboxOf({ email, ...outbox }, 'email')
  if (inOutbox !== null) return inOutbox
  const { host, port, tls, user, lifted } = await tryRelay(email.provider, email.timeoutMs)
  const how = [tls ?? 'without TLS', user === null ? 'without a login' : 'logged in']
  return [`${host}:${port} answers (${how.join(', ')})`, ...lifted].join('; ')
}
