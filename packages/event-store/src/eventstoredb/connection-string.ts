import { unescape as decoded } from 'node:querystring'

/** A connection string that cannot be used. The message says what to write instead, and shows nothing of the user or the password. */
export class InvalidConnectionString extends Error {
  override readonly name = 'InvalidConnectionString'
}

export type ConnectionString = Readonly<{
  /** The hosts, for people: no user, no password. */
  servers: string
  hosts: readonly Readonly<{ address: string; port: number }>[]
  /** `+discover`: the one host stands for a cluster. */
  isDiscovered: boolean
  user: Readonly<{ name: string; password: string }> | null
  /** The value of an option, decoded; undefined where it is not set. */
  option: (name: string) => string | undefined
}>

const SHAPE = /^(?<scheme>[^:]+):\/\/(?:(?<credentials>.*)@)?(?<servers>[^@/?#]+)\/?(?:\?(?<options>.*))?$/
const SERVER = /^[A-Za-z0-9._-]+(:\d{1,5})?$/
const CREDENTIALS = /^[^:@/?#\s]+:[^:@/?#\s]+$/

const WHOLE = /^-?\d+$/
const TRUE_OR_FALSE = /^(true|false)$/
const TEXT = /./

/** What the client knows, by the form of its value. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  ...{ tls: TRUE_OR_FALSE, throwOnAppendFailure: TRUE_OR_FALSE },
  ...{ connectionName: TEXT, tlsCAFile: TEXT, userCertFile: TEXT, userKeyFile: TEXT },
  ...{ maxDiscoverAttempts: WHOLE, discoveryInterval: WHOLE, gossipTimeout: WHOLE },
  ...{ defaultDeadline: WHOLE, keepAliveInterval: WHOLE, keepAliveTimeout: WHOLE },
  ...{ nodePreference: /^leader$/i },
}

/**
 * Takes `esdb://`, `esdb+discover://` and the same under the name `kurrentdb`. The client's own parser prints the whole string, password
 * included, where it meets an option that it does not know, and cuts a password at a colon; so nothing of that kind reaches it.
 */
export function parseConnectionString(connectionString: string): ConnectionString {
  const parts = SHAPE.exec(connectionString.trim())?.groups
  const { scheme = '', credentials, servers = '', options } = parts ?? {}
  if (!/^(esdb|kurrentdb)(\+discover)?$/.test(scheme)) throw new InvalidConnectionString('write it as esdb://host:port?tls=true')
  if (credentials !== undefined && !CREDENTIALS.test(credentials))
    throw new InvalidConnectionString('in its user and password write @ as %40, : as %3A, / as %2F, ? as %3F and # as %23')
  if (!servers.split(',').every((server) => SERVER.test(server)))
    throw new InvalidConnectionString('write its servers as host:port, with commas between them')
  for (const option of options?.split('&') ?? []) refuse(option)
  return {
    servers,
    hosts: servers.split(',').map(hostOf),
    isDiscovered: scheme.endsWith('+discover'),
    user: userIn(credentials),
    option: (name) => optionIn(options, name),
  }
}

/** By the variable @grpc/grpc-js knows authorities; it would do so for reads alone. */
export function authorityFile({ option }: ConnectionString): string | undefined {
  return option('tlsCAFile') ?? (process.env.GRPC_DEFAULT_SSL_ROOTS_FILE_PATH || undefined)
}

const DEFAULT_PORT = 2113

const hostOf = (server: string): ConnectionString['hosts'][number] => {
  const [address = '', port] = server.split(':')
  return { address, port: port === undefined ? DEFAULT_PORT : Number(port) }
}

const userIn = (credentials: string | undefined): ConnectionString['user'] => {
  const [name = '', password = ''] = (credentials ?? '').split(':').map((part) => decoded(part))
  return credentials === undefined ? null : { name, password }
}

const optionIn = (options: string | undefined, name: string): string | undefined => {
  const set = options?.split('&').find((option) => option.toLowerCase().startsWith(`${name.toLowerCase()}=`))
  return set === undefined ? undefined : decoded(set.slice(name.length + 1))
}

const refuse = (option: string): void => {
  const [key = '', value = ''] = option.split('=', 2)
  const form = Object.entries(OPTIONS).find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1]
  // Decisions are made on what was read: a follower may not have it yet.
  if (key.toLowerCase() === 'nodepreference' && !OPTIONS.nodePreference?.test(value))
    throw new InvalidConnectionString('leave out nodePreference, or write leader: the log is read where it is written, on the leader')
  if (form === undefined) throw new InvalidConnectionString(`it has an option that is not one of ${Object.keys(OPTIONS).join(', ')}`)
  if (!form.test(value)) throw new InvalidConnectionString(`its option ${key} has a value of the wrong kind`)
}
