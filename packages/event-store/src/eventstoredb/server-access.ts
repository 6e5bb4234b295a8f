import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { EventStoreDBClient } from '@eventstore/db-client'
import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js'
import { authorityFile, type ConnectionString, InvalidConnectionString, parseConnectionString } from './connection-string.ts'

/** The files of the connection string say whose certificates are accepted, and with which one this process shows itself. */
type Tls = Readonly<{ ca?: Buffer; key?: Buffer; cert?: Buffer }>

/** A connection is pinged each `intervalMs`, and ends `timeoutMs` after a ping without an answer; with null it is not pinged. */
type KeepAlive = Readonly<{ intervalMs: number; timeoutMs: number }> | null

/** `follower`: one that does not lead, where there is one. */
export type NodeKind = 'leader' | 'follower'

/** The connection string says how servers are reached. */
export type ServerAccess = Readonly<{
  /** Gives `host:port` of the node, and asks `failed` only where no other one answers. Rejects if no node is found. */
  find: (failed: string | null) => Promise<string>
  /** It is null if the connection string says `tls=false`. */
  tls: Tls | null
  headers: Readonly<Record<string, string>>
  keepAlive: KeepAlive
  channelCredentials: ChannelCredentials
  channelOptions: ChannelOptions
}>

/**
 * The server may send so many bytes before this process has read them. Without it a connection has the 64 KiB of HTTP/2, for all of
 * its calls together, and nothing follows before the event loop comes round: 16 pages of 1 380 events, read at once by a process whose
 * turns take 50 ms, took 30 s, and 4 to 8 s with this; meanwhile the subscription got no word, and appends no answer.
 */
export const FLOW_WINDOW = 1024 * 1024

/** EventStoreDB lets projections write events of 16 MiB, and a message has more around them. */
export const MAX_MESSAGE = 17 * 1024 * 1024

const KEEP_ALIVE_MS = 10_000

/** Throws InvalidConnectionString. */
export function serverAccess(connectionString: string, node: NodeKind = 'leader'): ServerAccess {
  const parsed = parseConnectionString(connectionString)
  const tls = tlsOf(parsed)
  const keepAlive = keepAliveOf(parsed)
  return {
    find: finder(parsed, tls, node),
    tls,
    headers: { ...headersOf(parsed, tls !== null), ...(node === 'leader' && { 'requires-leader': 'true' }) },
    keepAlive,
    channelCredentials: credentialsOf(tls),
    channelOptions: {
      ...(keepAlive && { 'grpc.keepalive_time_ms': keepAlive.intervalMs, 'grpc.keepalive_timeout_ms': keepAlive.timeoutMs }),
      'grpc.max_receive_message_length': MAX_MESSAGE,
      // Appends go over a connection of their own, which knows no proxy.
      'grpc.enable_http_proxy': 0,
      'grpc-node.flow_control_window': FLOW_WINDOW,
    },
  }
}

/** Node runs a timer of more milliseconds at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Neither 0 nor -1 is a time to wait: with one of them there are no pings. */
const keepAliveOf = ({ option }: ConnectionString): KeepAlive => {
  const timeOf = (name: string): number => {
    const value = Number(option(name) ?? KEEP_ALIVE_MS)
    if (value < -1) throw new InvalidConnectionString(`its option ${name} has a value below -1`)
    return Math.min(value, LONGEST_TIMER_MS)
  }
  const [intervalMs, timeoutMs] = [timeOf('keepAliveInterval'), timeOf('keepAliveTimeout')]
  return intervalMs > 0 && timeoutMs > 0 ? { intervalMs, timeoutMs } : null
}

/** A user is not shown to a connection that anyone can read. */
const headersOf = ({ option, user }: ConnectionString, isTls: boolean): Record<string, string> => ({
  'connection-name': option('connectionName') ?? crypto.randomUUID(),
  ...(isTls && user !== null && { authorization: `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}` }),
})

const tlsOf = (parsed: ConnectionString): Tls | null => {
  const { option } = parsed
  if (option('tls')?.toLowerCase() === 'false') return null
  const [ca, cert, key] = [authorityFile(parsed), option('userCertFile'), option('userKeyFile')]
  if ((cert === undefined) !== (key === undefined)) throw new InvalidConnectionString('userCertFile and userKeyFile are given together')
  return {
    ...(ca !== undefined && { ca: contentOf(ca, 'certificate') }),
    ...(cert !== undefined && { cert: contentOf(cert, 'certificate') }),
    ...(key !== undefined && { key: contentOf(key, 'certificate key') }),
  }
}

const contentOf = (path: string, what: string): Buffer => {
  const content = read(path, what)
  if (!content.includes('-----BEGIN ')) throw new InvalidConnectionString(`Failed to load ${what} file. It is not in the form of PEM`)
  return content
}

const read = (path: string, what: string): Buffer => {
  try {
    return readFileSync(resolve(path))
  } catch {
    throw new InvalidConnectionString(`Failed to load ${what} file. File was not found`)
  }
}

const credentialsOf = (tls: Tls | null): ChannelCredentials => {
  if (tls === null) return credentials.createInsecure()
  try {
    return credentials.createSsl(tls.ca, tls.key, tls.cert)
  } catch {
    throw new InvalidConnectionString(
      'the files of tlsCAFile, userCertFile and userKeyFile cannot be used: each is PEM, the key has no passphrase, and belongs to the certificate',
    )
  }
}

/** The client finds a node of a cluster: its `resolveUri` is protected, for those who extend it. */
class Cluster extends EventStoreDBClient {
  readonly node = (): Promise<string> => this.resolveUri()
}

const finder = (parsed: ConnectionString, tls: Tls | null, nodePreference: NodeKind): ServerAccess['find'] => {
  const { hosts, isDiscovered, option } = parsed
  const [first = { address: '', port: 0 }] = hosts
  if (!isDiscovered && hosts.length === 1) return async () => nameOf(first)
  const settings = Object.fromEntries(
    ['maxDiscoverAttempts', 'discoveryInterval', 'gossipTimeout'].flatMap((name) => {
      const value = option(name)
      return value === undefined ? [] : [[name, Number(value)]]
    }),
  )
  const channel =
    tls === null
      ? { insecure: true }
      : {
          ...(tls.ca && { rootCertificate: tls.ca }),
          ...(tls.key && { userKeyFile: tls.key }),
          ...(tls.cert && { userCertFile: tls.cert }),
        }
  if (isDiscovered) return () => new Cluster({ ...settings, nodePreference, discover: first }, channel).node()
  const among = (endpoints: (typeof first)[], attempts: object = {}): Promise<string> =>
    new Cluster({ ...settings, ...attempts, nodePreference, endpoints }, channel).node()
  return async (failed) => {
    const others = hosts.filter((host) => nameOf(host) !== failed)
    if (others.length > 0 && others.length < hosts.length) {
      // The others may be away, and the one that failed be back.
      const found = await among(others, { maxDiscoverAttempts: 1 }).catch(() => null)
      if (found !== null) return found
    }
    return among([...hosts])
  }
}

const nameOf = ({ address, port }: ConnectionString['hosts'][number]): string => `${address}:${port}`
