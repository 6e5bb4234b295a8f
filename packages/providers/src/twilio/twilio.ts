import type { ProviderKind } from '../provider-kind.ts'
import type { SmsProvider, SmsProviderOptions } from '../sms/port.ts'
import type { VoiceProvider, VoiceProviderOptions } from '../voice/port.ts'
import { parseTwilioUrl, TWILIO } from './account.ts'

/** `connections`: requests at once. */
const limits = { connections: 20, callMs: 10_000 } as const

const common = {
  name: 'twilio',
  begins: TWILIO,
  settings: {},
  limits,
  defaultPort: ({ searchParams }: URL) => (searchParams.get('protocol') === 'http' ? 80 : 443),
}

/** Text messages through an API that speaks Twilio's. Its reports come by a route. */
export const twilioSms = {
  ...common,
  forms: ['twilio://SID:TOKEN@host[:port][/path]?protocol=https'],
  means:
    "Twilio's REST API (`api.twilio.com`), or any gateway that speaks it, wherever it is; `protocol=http` for one without TLS. `:`, `/` and `@` in the token are percent-encoded",
  open: async ({ provider, publicUrl, connections = limits.connections, callMs = limits.callMs, onOutage }: SmsProviderOptions) => {
    const account = parseTwilioUrl(provider, 'SMS')
    const { createTwilioSmsProvider } = await import('./twilio-providers.ts')
    return createTwilioSmsProvider({ account, publicUrl, connections, callMs, ...(onOutage && { onOutage }) })
  },
  try: async ({ provider, callMs }) =>
    (await import('./api.ts')).tryTwilio(parseTwilioUrl(provider, 'SMS'), { ...limits, resource: 'Messages', callMs }),
} satisfies ProviderKind<SmsProvider, SmsProviderOptions>

/** The same for calls. */
export const twilioVoice = {
  ...common,
  forms: ['twilio://SID:TOKEN@host[:port][/path]?protocol=https&callerId=%2B972…'],
  means: 'the same; `callerId` is the number that calls where the sender ID is a name, which cannot call',
  open: async ({ provider, publicUrl, callMs = limits.callMs, onOutage }: VoiceProviderOptions) => {
    const account = parseTwilioUrl(provider, 'voice')
    const { createTwilioVoiceProvider } = await import('./twilio-providers.ts')
    return createTwilioVoiceProvider({ ...limits, account, publicUrl, callMs, ...(onOutage && { onOutage }) })
  },
  try: async ({ provider, callMs }) =>
    (await import('./api.ts')).tryTwilio(parseTwilioUrl(provider, 'voice'), { ...limits, resource: 'Calls', callMs }),
} satisfies ProviderKind<VoiceProvider, VoiceProviderOptions>
