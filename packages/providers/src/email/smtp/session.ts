import SMTPConnection, { type Options } from 'nodemailer/lib/smtp-connection'
import { DeliveryError } from '../port.ts'
import { type Dialogue, dialogueOn } from './dialogue.ts'
import { deliveryError, sessionSurvives } from './failure.ts'
import { type OutgoingMail, prepare, reset, transact } from './transaction.ts'

/** An open, authenticated SMTP session. It does one thing at a time; `alive` is false once it cannot be used any more. */
export type SmtpSession = Readonly<{
  alive: () => boolean
  /** Resolves when the server has taken the mail; throws `DeliveryError`. */
  send: (mail: OutgoingMail) => Promise<void>
  close: () => void
}>

export type SessionSettings = Readonly<{
  options: Options
  credentials: Readonly<{ user: string; pass: string }> | null
  callMs: number
}>

/** The session died before the mail had left this machine: it can be sent on another at once. */
export class NothingSent extends DeliveryError {}

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
  const extensions = extensionsOf(connection)
  let alive = true
  const dialogue = dialogueOn(socket, () => {
    alive = false
    connection.close()
  })
  connection.once('end', () => dialogue.end(new Error('the mail server ended the session')))
  const send = async (mail: OutgoingMail): Promise<void> => {
    const prepared = prepare(extensions, mail)
    let left = false
    const leaving = () => {
      left = true
    }
    try {
      await within(callMs, () => transact(dialogue, extensions.pipelining, prepared, leaving))
    } catch (error) {
      const failure = deliveryError(error as Error)
      if (sessionSurvives(error) && (await couldReset(dialogue, callMs))) throw failure
      dialogue.end(failure)
      if (!left && failure.failure === 'temporary') throw new NothingSent('temporary', failure.message, failure)
      throw failure
    }
  }
  const close = () => {
    if (alive) socket.write('QUIT\r\n')
    dialogue.end(new Error('the session was closed'))
  }
  return { alive: () => alive, send, close }
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

const couldReset = (dialogue: Dialogue, callMs: number): Promise<boolean> => within(callMs, () => reset(dialogue)).catch(() => false)

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
