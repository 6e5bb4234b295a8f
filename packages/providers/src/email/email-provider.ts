import type { Pool } from 'pg'
import { outboxProvider } from '../outbox/outbox-provider.ts'
import type { EmailProvider } from './port.ts'
import type { ReturnPaths } from './return-path.ts'
import type { RelayTried } from './smtp/try-relay.ts'

/**
 * `provider`: `outbox`, or an address `smtp://…` / `smtps://…`. The rest is of SMTP alone: `callMs` for connecting and each command, `answerMs`
 * for the answer to a mail; `returnPaths`: the envelope senders; `unsubscribeAddresses`: where mail unsubscribes; `onOutage` gets why no mail can leave, once when an outage begins, and null when it is over.
 */
export type EmailProviderSettings = Readonly<{
  provider: string
  publicUrl: string
  pool: Pool
  connections?: number
  callMs?: number
  answerMs?: number
  returnPaths?: Pick<ReturnPaths, 'addressOf'>
  unsubscribeAddresses?: Pick<ReturnPaths, 'unsubscribeAddressOf'>
  onOutage?: (reason: string | null) => void
}>

export type { RelayTried } from './smtp/try-relay.ts'

/** Opens one session with the relay of that address as sending does. Throws one sentence where no mail could leave. */
export async function tryRelay(address: string, callMs: number): Promise<RelayTried> {
  return (await import('./smtp/try-relay.ts')).tryRelay(address, callMs)
}

/** The configured email provider. The SMTP client is loaded only where it is used. Throws one sentence for an address it cannot use. */
export async function emailProvider(settings: EmailProviderSettings): Promise<EmailProvider> {
  const { provider, publicUrl, pool, ...limits } = settings
  if (provider === 'outbox') return outboxProvider({ pool, publicUrl })
  if (!URL.canParse(provider) || !/^smtps?:$/.test(new URL(provider).protocol)) {
    throw new Error('The email provider must be "outbox", or an address that starts with smtp:// or smtps://.')
  }
  const { smtpProvider } = await import('./smtp/smtp-provider.ts')
  return smtpProvider({ url: provider, publicUrl, ...limits })
}
