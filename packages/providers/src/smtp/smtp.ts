import { Type } from '@sinclair/typebox'
import { DEFAULT_PORTS } from '../default-ports.ts'
import type { EmailProvider, EmailProviderOptions } from '../email/port.ts'
import { hostIn } from '../provider-address.ts'
import type { ProviderKind } from '../provider-kind.ts'

/** `answerMs`: for the answer to a mail (RFC 5321 §4.5.3.2.6). */
const limits = { connections: 20, maxMessages: 1_000, idleMs: 5_000, callMs: 10_000, answerMs: 600_000 } as const

/** Mail through a relay. `relayHost`: whom an SPF record has to name. */
export const smtp = {
  name: 'smtp',
  begins: ['smtp://', 'smtps://'],
  forms: ['smtp://user:pass@host:port', 'smtps://…'],
  means: 'a mail relay; `smtps` is TLS from the first byte',
  settings: {
    connections: Type.Integer({
      env: 'TIDINGS_SMTP_CONNECTIONS',
      minimum: 1,
      maximum: 1_000,
      must: 'a whole number from 1 to 1000',
      default: limits.connections,
      help: 'sessions with the relay in one process; as many again may wait for an answer that takes longer than timeoutMs',
    }),
  },
  limits,
  defaultPort: ({ protocol }) => (protocol === 'smtps:' ? DEFAULT_PORTS.smtps : DEFAULT_PORTS.smtp),
  open: async ({ provider: url, pool: _, ...options }: EmailProviderOptions & Readonly<{ connections?: number }>) =>
    (await import('./smtp-provider.ts')).smtpProvider({ ...limits, ...options, url }),
  try: async ({ provider, callMs }) => (await import('./session.ts')).tryRelay(provider, callMs),
  relayHost: (address: string): string | null => (URL.canParse(address) ? hostIn(new URL(address)) : null),
} satisfies ProviderKind<EmailProvider, EmailProviderOptions> & Readonly<{ relayHost: (address: string) => string | null }>
