import { DEFAULT_PORTS } from '../default-ports.ts'
import type { ProviderKind } from '../provider-kind.ts'
import type { SmsProvider, SmsProviderOptions } from '../sms/port.ts'

const limits = { callMs: 10_000 } as const

/** Text messages over SMPP 3.4. */
export const smpp = {
  name: 'smpp',
  begins: ['smpp://', 'smpps://'],
  forms: ['smpp://user:pass@host:port', 'smpps://…'],
  means: 'SMPP 3.4; `smpps` is TLS from the first byte. [All that the address may say](../how-to/send-sms-over-smpp.md)',
  settings: {},
  limits,
  defaultPort: ({ protocol }) => (protocol === 'smpps:' ? DEFAULT_PORTS.smpps : DEFAULT_PORTS.smpp),
  open: async ({ provider: url, pool: _, publicUrl: __, ...options }: SmsProviderOptions) =>
    (await import('./smpp-provider.ts')).createSmppProvider({ ...limits, ...options, url }),
  try: async ({ provider, callMs }) => (await import('./open-connection.ts')).trySmsc(provider, callMs),
} satisfies ProviderKind<SmsProvider, SmsProviderOptions>
