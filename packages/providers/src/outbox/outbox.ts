import type { EmailProvider, EmailProviderOptions } from '../email/port.ts'
import type { ProviderKind } from '../provider-kind.ts'
import type { PushProvider, PushProviderOptions, PushTryOptions } from '../push/port.ts'
import type { SmsProvider, SmsProviderOptions } from '../sms/port.ts'
import type { VoiceProvider, VoiceProviderOptions } from '../voice/port.ts'

/** The development outbox, which every channel has: messages are kept where people can see them, and none leaves the machine. */
const outbox = {
  name: 'outbox',
  begins: ['outbox'],
  forms: ['outbox'],
  settings: {},
  limits: { callMs: 10_000 },
  try: async () => ({ said: 'the development outbox, nothing leaves this machine', lifted: [] }),
}

const loaded = () => import('./outbox-providers.ts')

export const outboxEmail = {
  ...outbox,
  means: 'nothing leaves this machine: `GET /dev/outbox?channel=email` shows it',
  open: async (options: EmailProviderOptions) => (await loaded()).outboxProvider(options),
} satisfies ProviderKind<EmailProvider, EmailProviderOptions>

export const outboxSms = {
  ...outbox,
  means: 'nothing leaves this machine: `GET /dev/outbox?channel=sms` shows it. The one place that shows a passcode',
  open: async ({ pool }: SmsProviderOptions) => (await loaded()).createOutboxSmsProvider(pool),
} satisfies ProviderKind<SmsProvider, SmsProviderOptions>

export const outboxVoice = {
  ...outbox,
  means: 'the same, at `GET /dev/outbox?channel=voice`',
  open: async ({ pool }: VoiceProviderOptions) => (await loaded()).createOutboxVoiceProvider(pool),
} satisfies ProviderKind<VoiceProvider, VoiceProviderOptions>

export const outboxPush = {
  ...outbox,
  means: 'nothing leaves this machine: `GET /dev/outbox?channel=push` shows it',
  open: async ({ pool, vapid }: PushProviderOptions) => (await loaded()).createOutboxPushProvider({ pool, from: vapid?.subject ?? '' }),
} satisfies ProviderKind<PushProvider, PushProviderOptions, PushTryOptions>
