import SMTPConnection, { type Options } from 'nodemailer/lib/smtp-connection'
import { DeliveryError } from '../port.ts'
import { deliveryError, sessionSurvives } from './failure.ts'

export type Envelope = Readonly<{ from: string; to: string }>

/** An open, authenticated SMTP session. It does one thing at a time; `alive` is false once it cannot be used any more. */
export type SmtpSession = Readonly<{
  alive: () => boolean
  /** Answers the server's last words; throws `DeliveryError`. */
  send: (envelope: Envelope, raw: string) => Promise<string>
  close: () => void
}>

export type SessionSettings = Readonly<{
  options: Options
  credentials: Readonly<{ user: string; pass: string }> | null
  callMs: number
}>

/** Connects, upgrades and authenticates within `callMs`; throws `DeliveryError`. */
export async function openSession(settings: SessionSettings): Promise<SmtpSession> {
  const connection = new SMTPConnection(settings.options)
  const state = { alive: true }
  const end = () => {
    state.alive = false
  }
  connection.on('error', end)
  connection.on('end', end)
  try {
    await within(settings.callMs, (done) => {
      connection.once('error', done)
      connection.connect(done)
    })
    const { credentials } = settings
    if (credentials !== null) await within(settings.callMs, (done) => connection.login({ credentials }, done))
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    alive: () => state.alive,
    send: (envelope, raw) => send(connection, state, { envelope, raw, callMs: settings.callMs }),
    close: () => {
      end()
      connection.quit()
    },
  }
}

/** The session died before the mail had left this machine: it can be sent on another at once. */
export class NothingSent extends DeliveryError {}

type Sending = Readonly<{ envelope: Envelope; raw: string; callMs: number }>

async function send(connection: SMTPConnection, state: { alive: boolean }, sending: Sending): Promise<string> {
  const { envelope, raw, callMs } = sending
  const size = Buffer.byteLength(raw)
  const writtenBefore = bytesWritten(connection)
  let survives = false
  let response = ''
  try {
    await within(callMs, (done) => {
      connection.send({ from: envelope.from, to: [envelope.to], size }, raw, (error, info) => {
        if (error) survives = sessionSurvives(error)
        response = info?.response ?? ''
        done(error)
      })
    })
    return response
  } catch (error) {
    const unsent = bytesWritten(connection) - writtenBefore < size
    if (!(survives && (await couldReset(connection, callMs)))) {
      state.alive = false
      connection.close()
      if (unsent && error instanceof DeliveryError && error.failure === 'temporary')
        throw new NothingSent('temporary', error.message, error)
    }
    throw error
  }
}

/** The library keeps its socket as `_socket`, also after its end. Counts all that was handed over; without a socket, as if everything had been. */
const bytesWritten = ({ _socket }: SMTPConnection): number => (_socket ? _socket.bytesWritten : Number.MAX_SAFE_INTEGER)

const couldReset = (connection: SMTPConnection, callMs: number): Promise<boolean> =>
  within(callMs, (done) => connection.reset(done)).then(
    () => true,
    () => false,
  )

/** A callback as a promise that ends in time. What answers later is not heard: the session is closed by whoever gave up. */
function within(ms: number, start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeliveryError('temporary', `no answer from the mail server within ${ms} ms`)), ms)
    start((error) => {
      clearTimeout(timer)
      if (error) reject(deliveryError(error))
      else resolve()
    })
  })
}
