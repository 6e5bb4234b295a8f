import type { EmailProvider, EmailProviderOptions } from './email/port.ts'
import { kindNamed, type ProviderTried, type SettingsOf, type SettingValues, settingMust, type TryOptions } from './provider-kind.ts'
import type { PushProvider, PushProviderOptions, PushTryOptions } from './push/port.ts'
import { type ProviderChannel, providerKinds } from './registry.ts'
import type { SmsProvider, SmsProviderOptions } from './sms/port.ts'
import type { VoiceProvider, VoiceProviderOptions } from './voice/port.ts'

/** What an email provider is opened with, with the own settings of all of them: each takes its own, and has defaults for what is left out. */
export type EmailProviderSettings = EmailProviderOptions & SettingValues<SettingsOf<typeof providerKinds.email>>

const NAMES: Readonly<Record<ProviderChannel, string>> = { email: 'email', sms: 'SMS', voice: 'voice', push: 'push' }

/** The email provider that the address names. Throws one sentence, without a secret, for an address that cannot be used. */
export async function emailProvider(settings: EmailProviderSettings): Promise<EmailProvider> {
  return await known('email', providerKinds.email, settings.provider).open(settings)
}

/** The same for text messages. */
export async function createSmsProvider(
  settings: SmsProviderOptions & SettingValues<SettingsOf<typeof providerKinds.sms>>,
): Promise<SmsProvider> {
  return await known('sms', providerKinds.sms, settings.provider).open(settings)
}

/** The same for calls. */
export async function createVoiceProvider(
  settings: VoiceProviderOptions & SettingValues<SettingsOf<typeof providerKinds.voice>>,
): Promise<VoiceProvider> {
  return await known('voice', providerKinds.voice, settings.provider).open(settings)
}

/** The same for pushes. */
export async function createPushProvider(
  settings: PushProviderOptions & SettingValues<SettingsOf<typeof providerKinds.push>>,
): Promise<PushProvider> {
  return await known('push', providerKinds.push, settings.provider).open(settings)
}

/** Reaches the provider that the address names as sending does, and sends nothing. Throws one sentence, without a secret, where no message could leave. */
export async function tryProvider(channel: 'email' | 'sms' | 'voice', options: TryOptions): Promise<ProviderTried> {
  const kinds: readonly TriedKind[] = providerKinds[channel]
  return await known(channel, kinds, options.provider).try(options)
}

type TriedKind = Readonly<{ begins: readonly string[]; try: (options: TryOptions) => Promise<ProviderTried> }>

/** The same for pushes, whose providers are tried by the keys alone. */
export async function tryPushProvider(provider: string, options: PushTryOptions): Promise<ProviderTried> {
  return await known('push', providerKinds.push, provider).try(options)
}

/** The host that mail of that provider leaves from, as far as its address says; null where it does not. */
export function relayHostOf(provider: string): string | null {
  const kind = kindNamed(providerKinds.email, provider)
  return kind !== undefined && 'relayHost' in kind ? kind.relayHost(provider) : null
}

function known<Kind extends Readonly<{ begins: readonly string[] }>>(
  channel: ProviderChannel,
  kinds: readonly Kind[],
  setting: string,
): Kind {
  const kind = kindNamed(kinds, setting)
  if (kind === undefined) throw new Error(`The ${NAMES[channel]} provider must be ${settingMust(kinds, '"')}.`)
  return kind
}
