import type { TLSSocket } from 'node:tls'
import { DeliveryError } from '../../port.ts'
import { createCommandChannel } from './command-channel.ts'
import { type ConnectionSettings, openConnection, type RelayConnection } from './nodemailer-connection.ts'
import type { PendingMail, SessionQueue } from './pending-mail.ts'
import { withoutCredentials } from './settings.ts'
import { SmtpPipeline } from './smtp-pipeline.ts'

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
