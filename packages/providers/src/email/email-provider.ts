import type { Pool } from 'pg'
import { outboxProvider } from '../outbox/outbox-provider.ts'
import type { EmailProvider } from './port.ts'

/** `provider`: `outbox`, or an address `smtp://…` / `smtps://…`; `connections` and `callMs` are the SMTP ones. */
export type EmailProviderSettings = Readonly<{ provider: string; publicUrl: string; pool: Pool; connections?: number; callMs?: number }>

/** The configured way out for email. The SMTP client is loaded only where it is used. Throws one sentence for an address it cannot use. */
export async function emailProvider(settings: EmailProviderSettings): Promise<EmailProvider> {
  const { provider, publicUrl, pool, ...limits } = settings
  if (provider === 'outbox') return outboxProvider({ pool, publicUrl })
  if (!URL.canParse(provider) || !/^smtps?:$/.test(new URL(provider).protocol)) {
    throw new Error('The email provider must be "outbox", or an address that starts with smtp:// or smtps://.')
  }
  const { smtpProvider } = await import('./smtp/smtp-provider.ts')
  return smtpProvider({ url: provider, publicUrl, ...limits })
}
