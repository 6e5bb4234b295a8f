import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import SMTPConnection, { type Options as SmtpConnectionOptions } from 'nodemailer/lib/smtp-connection'
import pTimeout from 'p-timeout'
import { type Credentials, isLoopback, withoutCredentials } from '../credentials.ts'
import { DEFAULT_PORTS } from '../default-ports.ts'
import { DeliveryError } from '../port.ts'
import { addressIn, checksCertificate, decodedPart, hostIn, tlsIn } from '../provider-address.ts'
import type { ProviderTried } from '../provider-kind.ts'
import { type PendingMail, type SessionQueue, SmtpPipeline } from './smtp-pipeline.ts'
import { createCommandChannel, type Extensions } from './transaction.ts'

/** How to reach a relay. `tls`: from the first byte, by STARTTLS or not at all; by STARTTLS where it offers that; never. */
type RelayAddress = Readonly<{
  host: string
  port: number
  secure: boolean
  tls: 'required' | 'optional' | 'off'
  /** TLS would be required, but the address lifts that. */
  tlsLifted: boolean
  verify: boolean
  /** Our name in EHLO; nodemailer chooses it where null. */
  name: string | null
  credentials: Credentials | null
}>

const WHAT = 'The email provider'
const FORM = { what: WHAT, form: 'smtp://user:pass@host:port', options: ['tls', 'verify', 'name'] }
const NAME = /^[\w.:[\]-]{1,255}$/

/**
 * Reads `smtp://user:pass@host:port` or `smtps://…`. With credentials and a host that is not loopback TLS is required: `?tls=optional`
 * lifts that, `?tls=off` is refused. Without them the default is STARTTLS where it is offered. Throws one sentence, which has no credentials.
 */
export function relayAddress(address: string): RelayAddress {
  const url = addressIn(address, FORM)
  const host = hostIn(url)
  const secure = url.protocol === 'smtps:'
  const credentials = credentialsIn(url)
  const isExposed = credentials !== null && !secure && !isLoopback(host)
  const tls = tlsIn(url, { what: WHAT, isExposed })
  const name = url.searchParams.get('name')
  if (name !== null && !NAME.test(name)) throw new Error(`${WHAT} has a name that is no host name.`)
  return {
    host,
    port: url.port === '' ? (secure ? DEFAULT_PORTS.smtps : DEFAULT_PORTS.smtp) : Number(url.port),
    secure,
    tls,
    tlsLifted: isExposed && tls === 'optional',
    verify: checksCertificate(url, WHAT),
    name,
    credentials,
  }
}

function credentialsIn({ username, password }: URL): Credentials | null {
  if (username === '' && password !== '') throw new Error(`${WHAT} has a password and no user.`)
  return username === '' ? null : { user: decodedPart(username, WHAT), pass: decodedPart(password, WHAT) }
}

export function connectionOptions({ host, port, secure, tls, verify, name }: RelayAddress, callMs: number): SmtpConnectionOptions {
  return {
    host,
    port,
    secure,
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    ...(name === null ? {} : { name }),
    tls: { rejectUnauthorized: verify },
    connectionTimeout: callMs,
    greetingTimeout: callMs,
    dnsTimeout: callMs,
    socketTimeout: callMs,
  }
}

/** A connected, authenticated socket and what the server announced on it. */
type RelayConnection = Readonly<{
  socket: Socket
  extensions: Extensions
  /** `listener` gets what the server sends from now on; nodemailer reads nothing more. */
  onData: (listener: (chunk: Buffer) => void) => void
  /** `listener` is called when the server ends the connection. */
  onEnd: (listener: () => void) => void
  close: () => void
}>

/** `callMs`: for connecting, and for the login. */
type ConnectionSettings = Readonly<{ options: SmtpConnectionOptions; credentials: Credentials | null; callMs: number }>

/**
 * Connects, upgrades to TLS and logs in with nodemailer, which drops what a server said in clear before TLS. From then on only the caller writes
 * to the socket. Throws where one of these fails; the message may hold the credentials.
 */
export async function openConnection({ options, credentials, callMs }: ConnectionSettings): Promise<RelayConnection> {
  const connection = new SMTPConnection(options)
  // The listener stays for the whole life of the connection: an error without a listener would end the process.
  connection.on('error', () => undefined)
  try {
    await inTime(callMs, connected(connection))
    if (options.requireTLS === true && !connection.secure) throw new Error('the mail server does not speak TLS')
    if (credentials !== null)
      await inTime(
        callMs,
        promised((done) => connection.login({ credentials }, done)),
      )
    return detached(connection)
  } catch (error) {
    connection.close()
    throw error
  }
}

const connected = (connection: SMTPConnection): Promise<void> =>
  promised((done) => {
    connection.once('error', done)
    connection.once('end', () => done(new Error('the mail server ended the session')))
    connection.connect(done)
  })

/** Private to nodemailer: nodemailer-connection.int.test.ts fails when a release changes them. Without them mails go out in steps. */
type Internals = SMTPConnection & Readonly<{ _supportedExtensions?: readonly string[]; _maxAllowedSize?: number }>

function detached(connection: SMTPConnection): RelayConnection {
  const { _socket: socket, _supportedExtensions: names = [], _maxAllowedSize: maxSize = 0 } = connection as Internals
  if (!socket) throw new Error('the mail server ended the session')
  // nodemailer's timeout: the answer to a mail may take longer than the answer to a command.
  socket.setTimeout(0)
  return {
    socket,
    extensions: {
      pipelining: names.includes('PIPELINING'),
      smtpUtf8: names.includes('SMTPUTF8'),
      size: names.includes('SIZE'),
      maxSize,
    },
    onData: (listener) => {
      socket.removeAllListeners('data')
      socket.on('data', listener)
    },
    onEnd: (listener) => connection.once('end', listener),
    close: () => connection.close(),
  }
}

/** A callback as a promise. */
const promised = (start: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())))

const inTime = <Answer>(milliseconds: number, asked: Promise<Answer>): Promise<Answer> =>
  pTimeout(asked, { milliseconds, message: `no answer from the mail server within ${milliseconds} ms` })

/** An open, authenticated SMTP session. `isAlive` is false once it cannot be used any more; `tls` is its protocol, null in clear. */
export type SmtpSession = Readonly<{
  tls: string | null
  isAlive: () => boolean
  /** Sends the mail, then those of the queue, until the queue is empty or the session has ended. One call at a time. */
  send: (first: PendingMail, queue: SessionQueue) => Promise<void>
  close: () => void
}>

/** `callMs`: for connecting, the login and each command; `answerMs`: for the answer to a mail. */
export type SessionSettings = ConnectionSettings & Readonly<{ answerMs: number }>

/**
 * Opens a session; throws `DeliveryError` ("outage"), whose message has no credentials. nodemailer connects; the mails go through
 * `SmtpPipeline`, because nodemailer sends no envelope ahead and costs more CPU a mail (docs/adr/0017-own-smtp-session.md).
 */
export async function openSession(settings: SessionSettings): Promise<SmtpSession> {
  const connection = await openConnection(settings).catch((error: Error) => {
    throw new DeliveryError('outage', startOf(withoutCredentials(error.message, settings.credentials)))
  })
  return sessionOn(connection, settings)
}

/** An answer of a server can have a megabyte. */
const startOf = (text: string): string => [...text].slice(0, 500).join('')

function sessionOn(connection: RelayConnection, { callMs, answerMs }: SessionSettings): SmtpSession {
  const { socket, extensions } = connection
  let alive = true
  const isAlive = () => alive
  const onClosed = () => {
    alive = false
    connection.close()
  }
  const channel = createCommandChannel(connection, { onClosed, onReply: () => pipeline.replyReceived() })
  connection.onEnd(() => channel.close(new Error('the mail server ended the session')))
  const pipeline = new SmtpPipeline({ channel, extensions, callMs, answerMs, isAlive })
  const close = () => {
    if (alive) socket.write('QUIT\r\n')
    channel.close(new Error('the session was closed'))
  }
  const tls = 'getProtocol' in socket ? (socket as TLSSocket).getProtocol() : null
  return { tls, isAlive, send: (first, queue) => pipeline.send(first, queue), close }
}

/**
 * Opens one session as sending does: the same port, TLS and login, and closes it. Throws one sentence, without credentials, where no mail could
 * leave. What the address lifts: the password may go in clear (`?tls=optional`), the certificate is not checked (`?verify=off`).
 */
export async function tryRelay(address: string, callMs: number): Promise<ProviderTried> {
  const relay = relayAddress(address)
  const { host, port, tlsLifted, verify, credentials } = relay
  const session = await openSession({ options: connectionOptions(relay, callMs), credentials, callMs, answerMs: callMs }).catch((error) => {
    throw new Error(`${host}:${port} cannot be used: ${error instanceof Error ? error.message : String(error)}.`)
  })
  session.close()
  const lifted = [
    ...(tlsLifted ? ['tls=optional: the password may be sent in clear'] : []),
    ...(verify ? [] : ['verify=off: the certificate is not checked']),
  ]
  return {
    said: `${host}:${port} answers (${session.tls ?? 'without TLS'}, ${credentials === null ? 'without a login' : 'logged in'})`,
    lifted,
  }
}
