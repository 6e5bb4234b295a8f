import type { EmailProvider, EmailProviderOptions } from '../email/port.ts'
import type { ProviderKind } from '../provider-kind.ts'
import { SES } from './account.ts'

/** `connections`: requests at once. */
const limits = { connections: 20, callMs: 10_000 } as const

/** Mail through the HTTP API of Amazon SES. Its reports come by a route. */
export const ses = {
  name: 'ses',
  begins: SES,
  forms: ['ses://KEY_ID:SECRET@email.REGION.amazonaws.com?config=SET&topic=TOPIC_ARN'],
  means:
    'the HTTP API of Amazon SES, version 2; `config` is the configuration set of its mails, `topic` the SNS topic of its reports. [What it says](../how-to/send-through-amazon-ses.md)',
  settings: {},
  limits,
  defaultPort: ({ searchParams }) => (searchParams.get('protocol') === 'http' ? 80 : 443),
  open: async ({ provider, pool: _, answerMs: __, returnPaths: ___, ...options }: EmailProviderOptions) =>
    (await import('./ses-provider.ts')).sesProvider({ ...limits, ...options, address: provider }),
  try: async ({ provider, callMs }) => (await import('./ses-provider.ts')).trySes(provider, callMs),
} satisfies ProviderKind<EmailProvider, EmailProviderOptions>
