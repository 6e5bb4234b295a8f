import type { EmailProvider, EmailProviderOptions } from '../email/port.ts'
import type { ProviderKind } from '../provider-kind.ts'
import { MAILGUN } from './account.ts'

/** `connections`: requests at once. */
const limits = { connections: 20, callMs: 10_000 } as const

/** Mail through the HTTP API of Mailgun. Its reports come by a route. */
export const mailgun = {
  name: 'mailgun',
  begins: MAILGUN,
  forms: ['mailgun://DOMAIN:KEY@api.mailgun.net?webhook=SIGNING_KEY'],
  means:
    'the HTTP API of Mailgun (`api.eu.mailgun.net` for its EU region); `webhook` is the signing key of its webhooks. [What it says](../how-to/send-through-mailgun.md)',
  settings: {},
  limits,
  defaultPort: ({ searchParams }) => (searchParams.get('protocol') === 'http' ? 80 : 443),
  open: async ({ provider, pool: _, answerMs: __, returnPaths: ___, ...options }: EmailProviderOptions) =>
    (await import('./mailgun-provider.ts')).mailgunProvider({ ...limits, ...options, address: provider }),
  try: async ({ provider, callMs }) => (await import('./mailgun-provider.ts')).tryMailgun(provider, callMs),
} satisfies ProviderKind<EmailProvider, EmailProviderOptions>
