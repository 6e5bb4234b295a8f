import type { TLSSocket } from 'node:tls'
import SMTPConnection, { type Options } from 'nodemailer/lib/smtp-connection'
import pTimeout from 'p-timeout'
import { DeliveryError } from '../port.ts'
import { Courier } from './courier.ts'
import { dialogueOn } from './dialogue.ts'
import type { Errand, Line } from './errand.ts'
import { type Credentials, withoutCredentials } from './settings.ts'

/** An open, authenticated SMTP session. `alive` is false once it cannot be used any more; `tls` is its protocol, null in clear. */
export type SmtpSession = Readonly<{
  tls: string | null
  alive: () => boolean
  /** Carries the errand, and then what stands in line, until the line is empty or the session has ended. One call at a time. */
  carry: (first: Errand, line: Line) => Promise<void>
  close: () => void
}>

/** `callMs`: for connecting, the login and each command; `answerMs`: for the answer to a mail. */
export type SessionSettings = Readonly<{ options: Options; credentials: Credentials | null; callMs: number; answerMs: number }>

/**
 * Connects, upgrades and authenticates; throws `DeliveryError` ("outage"), whose message has no credentials. nodemailer does all that, and
 * drops what a server said in clear before TLS; the mails are ours: it does not pipeline DATA, and costs three times as much a mail.
 */
export async function openSession(settings: SessionSettings): Promise<SmtpSession> {
  const { options, credentials, callMs } = settings
  const connection = new SMTPConnection(options)
  // Kept for the whole session: an error without a listener would end the process.
  connection.on('error', () => undefined)
  try {
    await inTime(callMs, connected(connection))
    if (options.requireTLS === true && !connection.secure) throw new Error('the mail server does not speak TLS')
    if (credentials !== null)
      await inTime(
        callMs,
        called((done) => connection.login({ credentials }, done)),
      )
    return sessionOn(connection, settings)
  } catch (error) {
    connection.close()
    throw new DeliveryError('outage', firstOf(withoutCredentials((error as Error).message, credentials)))
  }
}

/** A server may say a megabyte. */
const firstOf = (text: string): string => [...text].slice(0, 500).join('')

const connected = (connection: SMTPConnection): Promise<void> =>
  called((done) => {
    connection.once('error', done)
    connection.once('end', () => done(new Error('the mail server ended the session')))
    connection.connect(done)
  })

function sessionOn(connection: SMTPConnection, { callMs, answerMs }: SessionSettings): SmtpSession {
  const { _socket: socket } = connection
  if (!socket) throw new Error('the mail server ended the session')
  // How long an answer may take is our affair from now on: a mail's takes longer than a command's.
  socket.setTimeout(0)
  let usable = true
  const alive = () => usable
  const ended = () => {
    usable = false
    connection.close()
  }
  const dialogue = dialogueOn(socket, { ended, heard: () => courier.heard() })
  connection.once('end', () => dialogue.end(new Error('the mail server ended the session')))
  const courier = new Courier({ dialogue, extensions: extensionsOf(connection), callMs, answerMs, alive })
  const close = () => {
    if (usable) socket.write('QUIT\r\n')
    dialogue.end(new Error('the session was closed'))
  }
  const tls = 'getProtocol' in socket ? (socket as TLSSocket).getProtocol() : null
  return { tls, alive, carry: (first, line) => courier.carry(first, line), close }
}

/** Private to the library, which knows more than it tells; should it hide them one day, mails go out step by step. */
type Knowing = SMTPConnection & Readonly<{ _supportedExtensions?: readonly string[]; _maxAllowedSize?: number }>

function extensionsOf(connection: Knowing) {
  const { _supportedExtensions: names = [], _maxAllowedSize: maxSize = 0 } = connection
  return {
    pipelining: names.includes('PIPELINING'),
    smtpUtf8: names.includes('SMTPUTF8'),
    size: names.includes('SIZE'),
    maxSize,
  }
}

/** A callback as a promise. */
const called = (start: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())))

const inTime = <Answer>(milliseconds: number, asked: Promise<Answer>): Promise<Answer> =>
  pTimeout(asked, { milliseconds, message: `no answer from the mail server within ${milliseconds} ms` })
