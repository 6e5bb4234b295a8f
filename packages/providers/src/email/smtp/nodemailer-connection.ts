import type { Socket } from 'node:net'
import SMTPConnection, { type Options } from 'nodemailer/lib/smtp-connection'
import pTimeout from 'p-timeout'
import type { Credentials } from './settings.ts'

/** What the server announced in its answer to EHLO. `maxSize` is 0 where it announced none. */
export type Extensions = Readonly<{ pipelining: boolean; smtpUtf8: boolean; size: boolean; maxSize: number }>

/** A connected, authenticated socket and what the server announced on it. */
export type RelayConnection = Readonly<{
  socket: Socket
  extensions: Extensions
  /** `listener` gets what the server sends from now on; nodemailer reads nothing more. */
  onData: (listener: (chunk: Buffer) => void) => void
  /** `listener` is called when the server ends the connection. */
  onEnd: (listener: () => void) => void
  close: () => void
}>

/** `callMs`: for connecting, and for the login. */
export type ConnectionSettings = Readonly<{ options: Options; credentials: Credentials | null; callMs: number }>

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
