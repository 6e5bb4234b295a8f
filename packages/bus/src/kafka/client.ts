import { connect, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { dropTimerWarning } from '@tidings/observability/quiet-timer'
import { type ISocketFactory, Kafka, type LogEntry, logLevel, type RetryOptions, type SASLOptions } from 'kafkajs'
import { explained, KafkaMisconfigured } from './explain.ts'
import type { KafkaLog, KafkaSettings } from './settings.ts'

/** The client says at ERROR what it then heals by itself (a group that rebalances, a coordinator that loads): that is not an error here. */
const LOWERED = {
  [logLevel.NOTHING]: 'debug',
  [logLevel.ERROR]: 'info',
  [logLevel.WARN]: 'info',
  [logLevel.INFO]: 'debug',
  [logLevel.DEBUG]: 'debug',
} as const

/** A `logCreator` that passes the client's lines on, a level lower. A fault that it cannot heal reaches the caller as an error. */
export function clientLog(log: KafkaLog | undefined) {
  return () =>
    ({ level, log: { message, timestamp: _, logger: __, ...fields } }: LogEntry): void => {
      if (log === undefined) return
      const lowered = LOWERED[level]
      log[lowered]({ kafka: fields }, message)
    }
}

/**
 * The client retries for some 8 s; then its caller starts again with a new client. All three are given, because kafkajs has other defaults
 * where NODE_ENV is `test`, and a consumer's own default would override `retries`. A producer that reconnects uses only the client's.
 */
export const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 8 } as const

/** Sets TCP_NODELAY. One batch in a hundred otherwise waits 45 ms for an acknowledgement that the broker delays; with it the p99 is 12–17 ms. */
const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const socket = ssl ? connectTls({ host, port, ...nameOf(host), ...ssl }, onConnect) : connect({ host, port }, onConnect)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 60_000)
  return socket
}

/** The name that a server is asked for must not be an address (RFC 6066 §3). */
const nameOf = (host: string) => (isIP(host) === 0 ? { servername: host } : {})

/** A handshake asks the network and the processor for more than a connection does. */
const CONNECT_MS = 1_000
const CONNECT_TLS_MS = 3_000

/** Kafkajs has a type for each mechanism. */
const loginOf = ({ mechanism, username, password }: NonNullable<KafkaSettings['sasl']>): SASLOptions => {
  if (mechanism === 'plain') return { mechanism, username, password }
  return mechanism === 'scram-sha-256' ? { mechanism, username, password } : { mechanism, username, password }
}

/** A client of the brokers. One a producer or consumer: each is thrown away whole when it fails. */
export function createClient(settings: KafkaSettings, retry: RetryOptions = RETRY): Kafka {
  dropTimerWarning()
  return new Kafka({
    clientId: settings.prefix,
    brokers: [...settings.brokers],
    connectionTimeout: settings.tls === undefined ? CONNECT_MS : CONNECT_TLS_MS,
    requestTimeout: 10_000,
    retry,
    ...(settings.tls && { ssl: { ...settings.tls } }),
    ...(settings.sasl && { sasl: loginOf(settings.sasl) }),
    socketFactory,
    logLevel: logLevel.WARN,
    logCreator: clientLog(settings.log),
  })
}

const ONCE = { retries: 0, initialRetryTime: 100, maxRetryTime: 100 }

/** Asks each broker of the settings who belongs to its cluster; rejects with one sentence for the first that cannot be used. */
export async function probeKafka(settings: KafkaSettings): Promise<string> {
  const answers = await Promise.all(settings.brokers.map((broker) => probeBroker(broker, settings)))
  return `${settings.brokers.join(', ')} answer${answers.length === 1 ? 's' : ''}, ${answers[0] ?? 0} broker(s) in the cluster`
}

async function probeBroker(broker: string, settings: KafkaSettings): Promise<number> {
  const one = { ...settings, brokers: [broker] }
  const admin = createClient(one, ONCE).admin()
  try {
    await admin.connect()
    return (await admin.describeCluster()).brokers.length
  } catch (error) {
    const known = explained(error, one)
    if (known instanceof KafkaMisconfigured) throw known
    const said = error instanceof Error ? error.message.replace(/^Connection error: /, '') : String(error)
    throw new Error(`Kafka at ${broker} cannot be used (${said}${hintOf(error, settings)}).`, { cause: error })
  } finally {
    await admin.disconnect().catch(() => undefined)
  }
}

/** A broker that expects TLS or a login closes the connection of a client that begins with neither. */
const hintOf = (error: unknown, { tls, sasl }: KafkaSettings): string => {
  const closed = error instanceof Error && /Closed connection/.test(error.message)
  const missing = [...(tls ? [] : ['TIDINGS_KAFKA_TLS']), ...(sasl ? [] : ['TIDINGS_KAFKA_SASL'])]
  return closed && missing.length > 0 ? `, it may want ${missing.join(' or ')}` : ''
}
