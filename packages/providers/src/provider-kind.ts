import type { Static, TSchema } from '@sinclair/typebox'

/**
 * Settings of one provider beside its address, by their names in the section of its channel. A schema carries the variable (`env`), what the value
 * `must` be, its `default`, what it is for (`help`), and `secret: true` where no sentence may show it.
 */
type OwnSettings = Readonly<Record<string, TSchema>>

/** What came of trying a provider. `said`: who answers, and how. `lifted`: what its address allows that would be refused without it. */
export type ProviderTried = Readonly<{ said: string; lifted: readonly string[] }>

/** What a try is given: the address, and the longest time of one call. */
export type TryOptions = Readonly<{ provider: string; callMs: number }>

/**
 * One way for the messages of a channel to leave: all that configuration, `tidings doctor`, the service and the documents know of it. The object
 * loads no client: `open` and `try` import what they need, so that a process that sends nothing loads none.
 */
export type ProviderKind<Provider, OpenOptions, Tries = TryOptions> = Readonly<{
  name: string
  /** How the setting of the channel begins (`smtp://`), or the one word that it is (`outbox`). */
  begins: readonly string[]
  /** The values as the documents write them. */
  forms: readonly string[]
  /** What the documents say of it, in one sentence or two. */
  means: string
  settings: OwnSettings
  /** The port of an address that says none; a kind without addresses has none. */
  defaultPort?: (address: URL) => number
  /** Times in ms, and what may be under way at once in a process, where no setting says otherwise. */
  limits: Readonly<{ callMs: number; [name: string]: number }>
  /** Throws one sentence, without a secret, for an address that cannot be used. A provider that cannot be reached is an outage, not an error. */
  open: (options: OpenOptions) => Promise<Provider>
  /** Reaches the provider as sending does, and sends nothing. Throws one sentence, without a secret, where no message could leave. */
  try: (options: Tries) => Promise<ProviderTried>
}>

type NamedProvider = Readonly<{ begins: readonly string[] }>
type WithSettings = Readonly<{ settings: OwnSettings }>

/** The kind that a setting names; undefined where it names none. */
export function kindNamed<Kind extends NamedProvider>(kinds: readonly Kind[], setting: string): Kind | undefined {
  return kinds.find(({ begins }) => begins.some((start) => (isScheme(start) ? setting.startsWith(start) : setting === start)))
}

const isScheme = (start: string): boolean => start.endsWith('://')

/** Between two addresses of a list (M68): a comma that no address follows belongs to the one that it stands in. */
const SEPARATOR = '\\s*,\\s*(?=[A-Za-z][A-Za-z0-9+.-]*://)'

/** The values of a setting that may name several. */
export function addressesIn(setting: string): readonly string[] {
  return setting.split(new RegExp(SEPARATOR))
}

/** What a setting that names one of the kinds matches, as a regular expression; with `several`, also a list of addresses. */
export function settingPattern(kinds: readonly NamedProvider[], { several = false }: Readonly<{ several?: boolean }> = {}): string {
  const starts = kinds.flatMap(({ begins }) => begins)
  const words = starts.filter((start) => !isScheme(start))
  const schemes = starts.filter(isScheme)
  if (schemes.length === 0) return `^(${words.join('|')})$`
  const address = `(?:${schemes.join('|')})${several ? `(?:(?!${SEPARATOR})\\S)+` : '\\S+'}`
  return `^(${[...words, several ? `${address}(?:${SEPARATOR}${address})*` : address].join('|')})$`
}

/** How a sentence says what the setting must be. `quote` surrounds a word. */
export function settingMust(kinds: readonly NamedProvider[], quote: string): string {
  const starts = kinds.flatMap(({ begins }) => begins)
  const words = starts.filter((start) => !isScheme(start)).map((word) => `${quote}${word}${quote}`)
  const schemes = starts.filter(isScheme)
  return [listed(words), ...(schemes.length === 0 ? [] : [`or an address that starts with ${listed(schemes)}`])].join(', ')
}

const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never

/** The schemas of the own settings of all these kinds together. */
export type SettingsOf<Kinds extends readonly WithSettings[]> = Intersection<Kinds[number]['settings']>

/** Values of own settings. One that is left out has its default. */
export type SettingValues<Settings> = Readonly<{
  [Name in keyof Settings]?: Settings[Name] extends TSchema ? Static<Settings[Name]> : never
}>

export function settingsOf<const Kinds extends readonly WithSettings[]>(kinds: Kinds): SettingsOf<Kinds> {
  return Object.assign({}, ...kinds.map(({ settings }) => settings))
}
