import SMTPConnection, { type Options } from 'nodemailer/lib/smtp-connection'
import { DeliveryError } from '../port.ts'
import { Courier } from './courier.ts'
import { dialogueOn } from './dialogue.ts'
import type { Errand, Line } from './errand.ts'
import { deliveryError } from './failure.ts'

/** An open, authenticated SMTP session. `alive` is false once it cannot be used any more. */
export type SmtpSession = Readonly<{
  alive: () => boolean
  /** Carries the errand, and then what stands in line, until the line is empty or the session has ended. One call at a time. */
  carry: (first: Errand, line: Line) => Promise<void>
  close: () => void
}>

export type SessionSettings = Readonly<{
  options: Options
  credentials: Readonly<{ user: string; pass: string }> | null
  callMs: number
}>

/**
 * Connects, upgrades and authenticates within `callMs`; throws `DeliveryError`. nodemailer does all that; the mails are ours: it does not
 * pipeline DATA, and costs three times as much a mail.
 */
export async function openSession({ options, credentials, callMs }: SessionSettings): Promise<SmtpSession> {
  const connection = new SMTPConnection(options)
  // Kept for the whole session: an error without a listener would end the process.
  connection.on('error', () => undefined)
  try {
    await within(callMs, () => connected(connection))
    if (credentials !== null) await within(callMs, () => called((done) => connection.login({ credentials }, done)))
    return sessionOn(connection, callMs)
  } catch (error) {
    connection.close()
    throw error
  }
}

const connected = (connection: SMTPConnection): Promise<void> =>
  called((done) => {
    connection.once('error', done)
    connection.once('end', () => done(new Error('the mail server ended the session')))
    connection.connect(done)
  })

function sessionOn(connection: SMTPConnection, callMs: number): SmtpSession {
  const { _socket: socket } = connection
  if (!socket) throw new DeliveryError('temporary', 'the mail server ended the session')
  let usable = true
  const alive = () => usable
  const dialogue = dialogueOn(socket, () => {
    usable = false
    connection.close()
  })
  connection.once('end', () => dialogue.end(new Error('the mail server ended the session')))
  const courier = new Courier({ dialogue, extensions: extensionsOf(connection), callMs, alive })
  const close = () => {
    if (usable) socket.write('QUIT\r\n')
    dialogue.end(new Error('the session was closed'))
  }
  return { alive, carry: (first, line) => courier.carry(first, line), close }
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
  new Promise((resolve, reject) => start((error) => (error ? reject(deliveryError(error)) : resolve())))

/** The answer, if it comes in time. What comes later is not heard: the session is ended by whoever gave up. */
function within<Answer>(ms: number, start: () => Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeliveryError('temporary', `no answer from the mail server within ${ms} ms`)), ms)
    start()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
