import type { EmailProvider, EmailProviderOptions } from './email/port.ts'
import { inOrder, type ListedProvider } from './list/in-order.ts'
import { type AddressedKind, type ListedAddress, listedAddresses } from './list/listed-addresses.ts'
import { type ProviderTried, type SettingsOf, type SettingValues, settingMust, type TryOptions } from './provider-kind.ts'
import type { PushProvider, PushProviderOptions, PushTryOptions } from './push/port.ts'
import { type ProviderChannel, providerKinds } from './registry.ts'
import type { SmsProvider, SmsProviderOptions } from './sms/port.ts'
import type { VoiceProvider, VoiceProviderOptions } from './voice/port.ts'

/** `each`: what one provider of a setting alone is opened with, by its label, so that what it reports says which one it is. */
type OfEach<Reporting> = Readonly<{ each?: (provider: string) => Reporting }>
type OutageReport = Readonly<{ onOutage: (reason: string | null) => void }>
type SmsReports = Readonly<{
  onOutage?: NonNullable<SmsProviderOptions['onOutage']>
  onSubmitted?: NonNullable<SmsProviderOptions['onSubmitted']>
  onReceipt?: NonNullable<SmsProviderOptions['onReceipt']>
  onInbound?: NonNullable<SmsProviderOptions['onInbound']>
}>

/** What an email provider is opened with, with the own settings of all of them: each takes its own, and has defaults for what is left out. */
export type EmailProviderSettings = EmailProviderOptions & SettingValues<SettingsOf<typeof providerKinds.email>> & OfEach<OutageReport>
type SmsProviderSettings = SmsProviderOptions & SettingValues<SettingsOf<typeof providerKinds.sms>> & OfEach<SmsReports>
type VoiceProviderSettings = VoiceProviderOptions & SettingValues<SettingsOf<typeof providerKinds.voice>> & OfEach<OutageReport>

const NAMES: Readonly<Record<ProviderChannel, string>> = { email: 'email', sms: 'SMS', voice: 'voice', push: 'push' }

/** The email providers that the setting names, as one (M68). Throws one sentence, without a secret, for an address that cannot be used. */
export async function emailProvider({ each, ...settings }: EmailProviderSettings): Promise<EmailProvider> {
  const all = await opened(listed('email', providerKinds.email, settings.provider), async ({ kind, address, label }) =>
    calledBySend(await kind.open({ ...settings, ...each?.(label), provider: address })),
  )
  const { call, ...provider } = inOrder(all)
  return { ...provider, send: call }
}

/** The same for text messages. */
export async function createSmsProvider({ each, ...settings }: SmsProviderSettings): Promise<SmsProvider> {
  const all = await opened(listed('sms', providerKinds.sms, settings.provider), async ({ kind, address, label }) =>
    calledBySend(await kind.open({ ...settings, ...each?.(label), provider: address })),
  )
  const { call, ...provider } = inOrder(all)
  return { ...provider, send: call }
}

/** The same for calls. */
export async function createVoiceProvider({ each, ...settings }: VoiceProviderSettings): Promise<VoiceProvider> {
  return inOrder(
    await opened(listed('voice', providerKinds.voice, settings.provider), ({ kind, address, label }) =>
      kind.open({ ...settings, ...each?.(label), provider: address }),
    ),
  )
}

/** The same for pushes, whose setting names one. */
export async function createPushProvider(
  settings: PushProviderOptions & SettingValues<SettingsOf<typeof providerKinds.push>>,
): Promise<PushProvider> {
  return await only('push', providerKinds.push, settings.provider).open(settings)
}

/** A provider that a setting names: its label, and its address, which may have a secret. */
type NamedAddress = Readonly<{ label: string; address: string }>

/** The providers that a setting of a channel names, in their order. Throws one sentence, without a secret, where an address is none. */
export function providersNamed(channel: 'email' | 'sms' | 'voice', setting: string): readonly NamedAddress[] {
  const kinds: readonly AddressedKind[] = providerKinds[channel]
  return listed(channel, kinds, setting).map(({ label, address }) => ({ label, address }))
}

/** Reaches one provider as sending does, and sends nothing. Throws one sentence, without a secret, where no message could leave. */
export async function tryProvider(channel: 'email' | 'sms' | 'voice', options: TryOptions): Promise<ProviderTried> {
  const kinds: readonly TriedKind[] = providerKinds[channel]
  return await only(channel, kinds, options.provider).try(options)
}

type TriedKind = AddressedKind & Readonly<{ try: (options: TryOptions) => Promise<ProviderTried> }>

/** The same for pushes, whose providers are tried by the keys alone. */
export async function tryPushProvider(provider: string, options: PushTryOptions): Promise<ProviderTried> {
  return await only('push', providerKinds.push, provider).try(options)
}

/** The hosts that mail leaves from, as far as the setting says. */
export function relayHostsOf(setting: string): readonly string[] {
  const hosts = listed('email', providerKinds.email, setting).map(({ kind, address }) =>
    'relayHost' in kind ? kind.relayHost(address) : null,
  )
  return [...new Set(hosts.filter((host) => host !== null))]
}

/** The providers of a setting of the channel; `kinds` are its. */
function listed<Kind extends AddressedKind>(
  channel: ProviderChannel,
  kinds: readonly Kind[],
  setting: string,
): readonly ListedAddress<Kind>[] {
  return listedAddresses(kinds, setting, { what: `The ${NAMES[channel]} provider`, must: settingMust(kinds, '"') })
}

function only<Kind extends AddressedKind>(channel: ProviderChannel, kinds: readonly Kind[], setting: string): Kind {
  const [first, second] = listed(channel, kinds, setting)
  if (first === undefined || second !== undefined) throw new Error(`The ${NAMES[channel]} provider must be ${settingMust(kinds, '"')}.`)
  return first.kind
}

type Called<Message> = Readonly<{
  callMs: number
  call: ListedProvider<Message>['call']
  outage: () => string | null
  close: () => Promise<void>
}>

type CalledBySend<Message> = Readonly<{
  callMs: number
  send: ListedProvider<Message>['call']
  outage: () => string | null
  close: () => Promise<void>
}>

const calledBySend = <Message>({ send, callMs, outage, close }: CalledBySend<Message>): Called<Message> => ({
  call: send,
  callMs,
  outage,
  close,
})

/** Where one cannot be opened, those before it are closed. */
async function opened<Kind extends AddressedKind, Message>(
  addresses: readonly ListedAddress<Kind>[],
  open: (one: ListedAddress<Kind>) => Promise<Called<Message>>,
): Promise<readonly ListedProvider<Message>[]> {
  const all: ListedProvider<Message>[] = []
  try {
    for (const one of addresses) {
      const { callMs, call, outage, close } = await open(one)
      all.push({ label: one.label, otherNames: one.otherNames, callMs, call, outage, close })
    }
  } catch (error) {
    await Promise.all(all.map(({ close }) => close()))
    throw error
  }
  return all
}
