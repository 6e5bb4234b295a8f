import { existsSync, readFileSync } from 'node:fs'
import { Value } from '@sinclair/typebox/value'
import type { ProviderChannel } from '@tidings/providers/registry'
import { parse } from 'yaml'
import { nearestName, unknownVariable } from './known-names.ts'
import { type Config, configSchema } from './schema.ts'
import { fromText, type Setting, settings } from './settings.ts'
import { publicKeyOf } from './vapid-keys.ts'

export type Environment = Readonly<Record<string, string | undefined>>
type Section = { [name: string]: unknown }

/** A setting that cannot be used. Its message is one sentence that names the variable or the file and the field. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** What `tidings.defaults.yaml` says, written by `node test/docs/write.ts`: every start and every command reads it, and to parse the other took 70 ms. */
const DEFAULTS = new URL('../tidings.defaults.json', import.meta.url)

/**
 * The configuration: the defaults, over them the file (`TIDINGS_CONFIG`, else `tidings.yaml` of the working directory where
 * there is one), over it the variables. Throws `ConfigError` with one sentence for the first thing that is wrong.
 */
export function loadConfig(env: Environment, file: string | null = userFile(env)): Config {
  const values: Section = JSON.parse(readFileSync(DEFAULTS, 'utf8'))
  if (file !== null) merge(values, { from: readUserFile(file), file, path: [] })
  const unknown = unknownVariable(env)
  if (unknown !== null) throw new ConfigError(`${unknown.name} is not a setting. The nearest one is ${unknown.nearest}.`)
  const fromEnv = settings.flatMap((setting) => override(values, setting, env))
  const wrong = settings.find((setting) => !Value.Check(setting.schema, at(values, setting.path)))
  if (wrong !== undefined) throw refused(wrong, at(values, wrong.path), fromEnv.includes(wrong) ? null : file)
  return checkTogether(withBareHost(withPushProvider(Value.Decode(configSchema, values))))
}

function userFile(env: Environment): string | null {
  const named = env.TIDINGS_CONFIG
  if (named !== undefined && named !== '') return named
  return existsSync('tidings.yaml') ? 'tidings.yaml' : null
}

function readUserFile(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8')) ?? {}
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    throw new ConfigError(`The configuration file ${file} cannot be read: ${why}`)
  }
}

const nearestKey = (key: string): string => {
  const keys = settings.map(({ path }) => path.join('.'))
  return `The nearest one is ${nearestName(key, keys)}.`
}

/** Lays a section of the user's file over the defaults. A name that the defaults do not have is a mistake, not an extension. */
function merge(into: Section, layer: Readonly<{ from: unknown; file: string; path: readonly string[] }>): void {
  const { from, file, path } = layer
  if (!isSection(from)) throw new ConfigError(`${path.join('.') || 'The content'} in ${file} must be a section of settings.`)
  for (const [name, value] of Object.entries(from)) {
    const here = [...path, name]
    if (!Object.hasOwn(into, name)) throw new ConfigError(`${here.join('.')} in ${file} is not a setting. ${nearestKey(here.join('.'))}`)
    const known = into[name]
    if (isSection(known)) merge(known, { from: value, file, path: here })
    else into[name] = value
  }
}

/** Sets what a variable says; the setting when it said something. An empty variable clears what may be unset, else says nothing. */
function override(values: Section, setting: Setting, env: Environment): readonly Setting[] {
  const text = env[setting.notes.env]
  if (text === undefined) return []
  const value = fromText(setting.schema, text)
  if (value === '') return []
  const section = at(values, setting.path.slice(0, -1))
  if (isSection(section)) section[setting.path.at(-1) ?? ''] = value
  return [setting]
}

function refused(setting: Setting, value: unknown, file: string | null): ConfigError {
  const name = file === null ? setting.notes.env : `${setting.path.join('.')} in ${file}`
  const shown = setting.notes.secret ? '' : `, not ${JSON.stringify(value)}`
  return new ConfigError(`${name} must be ${setting.notes.must}${shown}.`)
}

/** Keys of one's own say that pushes are to leave. */
function withPushProvider(config: Config): Config {
  const provider = config.push.provider ?? (config.push.vapidPrivateKey === null ? 'outbox' : 'web-push')
  return { ...config, push: { ...config.push, provider } }
}

/** An address of IPv6 may stand in brackets, as in a URL. */
function withBareHost(config: Config): Config {
  return { ...config, http: { ...config.http, host: config.http.host.replace(/^\[(.*)\]$/, '$1') } }
}

function checkTogether(config: Config): Config {
  if (config.http.bodyBudgetBytes < config.http.bodyLimitBytes) {
    throw new ConfigError('TIDINGS_BODY_BUDGET_BYTES must not be less than TIDINGS_BODY_LIMIT_BYTES: the largest body would never be read.')
  }
  if (config.http.adminPort !== null && config.http.adminPort !== 0 && config.http.adminPort === config.http.port) {
    throw new ConfigError('TIDINGS_ADMIN_PORT must not be PORT: what is for operators would be there for everybody.')
  }
  checkDatabaseUrls(config.storage)
  checkWebAddresses(config)
  checkVapidKeys(config.push)
  if (config.environment === 'production' && config.webhooks.allowLocal === 1) {
    throw new ConfigError(
      'TIDINGS_WEBHOOK_ALLOW_LOCAL must not be set when NODE_ENV is production: webhooks could reach into your network.',
    )
  }
  if (config.email.bounceMailbox !== null && config.email.returnPath === null) {
    throw new ConfigError('TIDINGS_RETURN_PATH must be set when TIDINGS_BOUNCE_MAILBOX is: bounces name their message by it alone.')
  }
  checkRetention(config)
  return config
}

/** They stand in mails, or are called: one that is none would fail long after the start, and a password would be everybody's. */
function checkWebAddresses({ http, push, proof }: Config): void {
  const named = { TIDINGS_PUBLIC_URL: http.publicUrl, TIDINGS_VAPID_SUBJECT: push.vapidSubject, TIDINGS_LOG_ANCHOR: proof.anchor }
  for (const [setting, address] of Object.entries(named)) {
    const url = address !== null && URL.canParse(address) ? new URL(address) : null
    if (address !== null && (url === null || url.username !== '' || url.password !== ''))
      throw new ConfigError(`${setting} must be an address that can be called, without a user or a password.`)
  }
}

const MOST_REPLICAS = 16

function checkDatabaseUrls({ databaseUrl, readDatabaseUrls }: Config['storage']): void {
  if (databaseUrl !== null) checkDatabaseUrl('TIDINGS_DATABASE_URL', databaseUrl)
  for (const url of readDatabaseUrls) checkDatabaseUrl('TIDINGS_READ_DATABASE_URL', url)
  if (readDatabaseUrls.length === 0) return
  if (databaseUrl === null)
    throw new ConfigError('TIDINGS_READ_DATABASE_URL must not be set without TIDINGS_DATABASE_URL: the embedded Postgres has no replicas.')
  const servers = [databaseUrl, ...readDatabaseUrls].map(serverOf)
  if (new Set(servers).size < servers.length)
    throw new ConfigError('TIDINGS_READ_DATABASE_URL must name each replica once, and not the database of TIDINGS_DATABASE_URL.')
  if (readDatabaseUrls.length > MOST_REPLICAS)
    throw new ConfigError(`TIDINGS_READ_DATABASE_URL must name at most ${MOST_REPLICAS} replicas.`)
}

/** A sign of a password that ends it would make its beginning the host, which sentences show. */
function checkDatabaseUrl(setting: string, databaseUrl: string): void {
  // Without a host it is a socket of this machine.
  const address = databaseUrl.replace('@/', '@socket/')
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || url.hash !== '' || url.pathname.includes('@'))
    throw new ConfigError(
      `${setting} must be an address whose user and password are percent-encoded: / is written as %2F, ? as %3F, # as %23 and @ as %40.`,
    )
}

/** The server and its database, without the user. */
function serverOf(databaseUrl: string): string {
  const { hostname, port, pathname, searchParams } = new URL(databaseUrl.replace('@/', '@socket/'))
  return [searchParams.get('host') ?? hostname, (searchParams.get('port') ?? port) || '5432', pathname].join(' ').toLowerCase()
}

const DAY_SECONDS = 86_400
/** What a message may wait beside its retries: for quiet hours, and for an answer that is missing. */
const OTHER_WAITS = 2

function checkRetention({ retention: { smallContentDays }, sending: { retrySeconds } }: Config): void {
  if (smallContentDays === null) return
  const days = retrySeconds.reduce((sum, seconds) => sum + seconds, 0) / DAY_SECONDS + OTHER_WAITS
  if (days <= smallContentDays) return
  throw new ConfigError(
    `TIDINGS_RETENTION_SMALL_CONTENT_DAYS must be at least ${Math.ceil(days)}, two days more than TIDINGS_SEND_RETRY_SECONDS add up to: content would end before its message is sent.`,
  )
}

function checkVapidKeys({ vapidPublicKey, vapidPrivateKey }: Config['push']): void {
  if (vapidPrivateKey === null) return
  let derived: string
  try {
    derived = publicKeyOf(vapidPrivateKey)
  } catch {
    throw new ConfigError('TIDINGS_VAPID_PRIVATE_KEY must be a private key of P-256: 32 bytes as base64url.')
  }
  if (vapidPublicKey !== null && vapidPublicKey !== derived)
    throw new ConfigError('TIDINGS_VAPID_PUBLIC_KEY must be the public key of TIDINGS_VAPID_PRIVATE_KEY: browsers would subscribe in vain.')
}

/** Throws where no process would make the key that wraps all others. Called where the database was written under none yet. */
export function assertMasterKey({ storage, secrets }: Config): void {
  if (storage.databaseUrl === null || secrets.masterKey !== null) return
  throw new ConfigError(
    'TIDINGS_MASTER_KEY must be set when TIDINGS_DATABASE_URL is: 32 bytes, as `openssl rand -hex 32` prints them for a new installation.',
  )
}

/** Says how messages may leave, and by which provider. */
type Sends = Readonly<{ environment: string; sending: Readonly<{ allowOutbox: string | number }> }>
type WithProvider<Channel extends ProviderChannel> = Readonly<Record<Channel, Readonly<{ provider: string | null }>>>

/** Whether messages of a channel may stay in the outbox: outside production, or where a setting says so. */
function mayUseOutbox({ environment, sending: { allowOutbox } }: Sends, channel: ProviderChannel): boolean {
  return environment !== 'production' || allowOutbox === 1 || String(allowOutbox).split(',').includes(channel)
}

/** Whether messages of a channel have somewhere to go: a provider, or the outbox where they may stay in it. */
export function hasProvider<Channel extends ProviderChannel>(config: Sends & WithProvider<Channel>, channel: Channel): boolean {
  return config[channel].provider !== 'outbox' || mayUseOutbox(config, channel)
}

/** The longest time of one call of the provider of a channel, in ms: its own, else that of all of them. */
export function providerTimeoutMs(config: Config, channel: 'sms' | 'voice' | 'push'): number {
  return config[channel].timeoutMs ?? config.email.timeoutMs
}

/** Throws where mail would stay on this machine without a setting that says so. Called by processes that send it. */
export function assertEmailProvider(config: Sends & WithProvider<'email'>): void {
  if (hasProvider(config, 'email')) return
  throw new ConfigError(
    'TIDINGS_EMAIL_PROVIDER must be set when NODE_ENV is production, because nothing leaves the machine from the outbox: TIDINGS_ALLOW_OUTBOX=email allows it.',
  )
}

function at(values: Section, path: readonly string[]): unknown {
  return path.reduce<unknown>((section, name) => (isSection(section) ? section[name] : undefined), values)
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
