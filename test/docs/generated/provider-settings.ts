import { readFileSync } from 'node:fs'
import { type ProviderChannel, providerKinds } from '@tidings/providers/registry'
import { parse } from 'yaml'
import { ROOT, table } from '../markdown.ts'

/** What the table says of a provider: the kinds are of several types, of which this is common. */
type DocumentedKind = Readonly<{
  name: string
  forms: readonly string[]
  means: string
  settings: Readonly<Record<string, Readonly<{ env?: string; default?: unknown; help?: string }>>>
  limits: Readonly<Record<string, number>>
}>

const CHANNELS = [
  { channel: 'email', variable: 'TIDINGS_EMAIL_PROVIDER' },
  { channel: 'sms', variable: 'TIDINGS_SMS_PROVIDER' },
  { channel: 'voice', variable: 'TIDINGS_VOICE_PROVIDER' },
  { channel: 'push', variable: 'TIDINGS_PUSH_PROVIDER' },
] as const

export const DEFAULTS_FILE = 'packages/config/tidings.defaults.yaml'

/** The same for the program. */
export const DEFAULTS_JSON = 'packages/config/tidings.defaults.json'
export function defaultsAsJson(): string {
  return `${JSON.stringify(parse(defaultsWithProviders()), null, 2)}\n`
}

const kindsOf = (channel: ProviderChannel): readonly DocumentedKind[] => providerKinds[channel]
const code = (text: string): string => `\`${text}\``
const addressOf = ({ forms }: DocumentedKind): string => forms.map(code).join(' or ')

/** Every provider: where it is set, its own settings, and its limits. */
export function providers(): string {
  const rows = CHANNELS.flatMap(({ channel, variable }) =>
    kindsOf(channel).map((kind) => [
      code(variable),
      addressOf(kind),
      kind.means,
      variablesOf(kind).map(code).join(', ') || '–',
      Object.entries(kind.limits)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    ]),
  )
  return table(['variable', 'value', '', 'its own settings', 'limits, where no setting says otherwise'], rows)
}

const variablesOf = ({ settings }: DocumentedKind): readonly string[] => Object.values(settings).map(({ env }) => env ?? '')

/** What the settings of phones may be. */
export function phoneAddresses(): string {
  const rows = (['sms', 'voice'] as const).flatMap((channel) =>
    kindsOf(channel).map((kind) => [channel === 'sms' ? 'text messages' : 'calls', addressOf(kind), kind.means]),
  )
  return table(['for', 'address', ''], rows)
}

/** The commented file of defaults, with what the providers say of themselves: the values of a setting, and their own settings. */
export function defaultsWithProviders(): string {
  return CHANNELS.reduce(
    (text, { channel, variable }) =>
      withOwnSettings(withForms(text, variable, kindsOf(channel)), kindsOf(channel), new RegExp(`^  provider: .*# ${variable}:.*\\n`, 'm')),
    readFileSync(`${ROOT}${DEFAULTS_FILE}`, 'utf8'),
  )
}

/** Up to the first semicolon the comment says the values. */
const withForms = (text: string, variable: string, kinds: readonly DocumentedKind[]): string => {
  const forms = kinds.map(({ name, forms: all }) => (name === 'outbox' ? 'outbox (nothing leaves this machine)' : all.join(' or ')))
  return text.replace(new RegExp(`(# ${variable}: )[^;\\n]*`), (_, start: string) => start + forms.join(', '))
}

const withOwnSettings = (text: string, kinds: readonly DocumentedKind[], provider: RegExp): string =>
  kinds
    .flatMap(({ settings }) => Object.entries(settings))
    .reduceRight((written, [name, schema]) => {
      const line = `  ${name}: ${JSON.stringify(schema.default)} # ${schema.env}: ${schema.help}\n`
      const known = new RegExp(`^  ${name}: .*# ${schema.env}:.*\\n`, 'm')
      return known.test(written) ? written.replace(known, () => line) : written.replace(provider, (found) => found + line)
    }, text)
