import { onAbort } from '@tidings/async'
import { answerInClear, type Taken } from '../../taken.ts'
import { SendThrottle } from '../../throttle/send-throttle.ts'
import { messageIdHost, providerIdOf } from '../message-id.ts'
import { buildMime } from '../mime/build-mime.ts'
import { encodedBody } from '../mime/encoded-body.ts'
import { wireAddress } from '../mime/header.ts'
import { signMime } from '../mime/sign-mime.ts'
import type { EmailMessage, EmailProvider } from '../port.ts'
import type { ReturnPaths } from '../return-path.ts'
import type { PendingMail } from './pending-mail.ts'
import { queueIdIn } from './queue-id.ts'
import { connectionOptions, relayAddress } from './settings.ts'
import { NothingSent } from './smtp-pipeline.ts'
import { SmtpPool } from './smtp-pool.ts'
import type { OutgoingMail } from './transaction.ts'

/**
 * `url`: `smtp://user:pass@host:port` or `smtps://…`; the rest has defaults: 20 connections, 1 000 messages each, closed after 5 s without
 * work, 10 s for connecting and for each command, 10 minutes for the answer to a mail (RFC 5321 §4.5.3.2.6). `returnPaths`: the envelope
 * senders, without it the sender of the mail. `unsubscribeAddresses`: where mail unsubscribes, where one is read. `onOutage` gets why no mail can leave, once when an outage begins, and null when it is over.
 */
export type SmtpSettings = Readonly<{
  url: string
  publicUrl: string
  connections?: number
  maxMessages?: number
  idleMs?: number
  callMs?: number
  answerMs?: number
  returnPaths?: Pick<ReturnPaths, 'addressOf'>
  unsubscribeAddresses?: Pick<ReturnPaths, 'unsubscribeAddressOf'>
  onOutage?: (reason: string | null) => void
}>

/**
 * Email over pooled SMTP sessions. CPU of a message of 2 KB html, MIME included: 58 µs, 65 where the relay does not pipeline; nodemailer's
 * pooled transport takes 235 with the same MIME (docs/adr/0017-own-smtp-session.md).
 * The provider's id of a message is the name that the relay gives it in its answer, which its log has; else its Message-ID without the brackets.
 */
export function smtpProvider(settings: SmtpSettings): EmailProvider {
  const callMs = settings.callMs ?? 10_000
  const host = messageIdHost(settings.publicUrl)
  const relay = relayAddress(settings.url)
  const pool = new SmtpPool({
    options: connectionOptions(relay, callMs),
    credentials: relay.credentials,
    callMs,
    answerMs: settings.answerMs ?? 600_000,
    max: settings.connections ?? 20,
    maxMessages: settings.maxMessages ?? 1_000,
    idleMs: settings.idleMs ?? 5_000,
    onOutage: settings.onOutage ?? (() => undefined),
  })
  const throttle = new SendThrottle(callMs / 40)
  return {
    name: 'smtp',
    callMs,
    outage: () => pool.outageReason(),
    send: (message, options) => {
      const build = () => outgoing(message, host, settings)
      const { workspaceId, to } = message
      const route = `${workspaceId} ${to.slice(to.lastIndexOf('@') + 1)}`
      const takenAs = (answer: string): Taken => ({
        providerMessageId: queueIdIn(answer, to) ?? providerIdOf(message, host),
        response: answerInClear(answer),
      })
      return throttle.send({ workspaceId, to, route }, options, (throttled) =>
        sendThrough(pool, { ...throttled, workspaceId, build }, takenAs),
      )
    },
    close: () => pool.close(),
  }
}

type Mail = Omit<PendingMail, 'done' | 'failed'>

/** Resolves with what `takenAs` makes of the server's answer when it has taken the mail. It may have closed a pooled session a moment ago: then the mail goes to another one, once. */
function sendThrough(
  pool: SmtpPool,
  { signal, fence, priority, handedOver, workspaceId, build }: Mail,
  takenAs: (answer: string) => Taken,
): Promise<Taken> {
  return new Promise((resolve, reject) => {
    let isFirst = true
    const pending: PendingMail = {
      signal,
      fence,
      priority,
      workspaceId,
      build,
      ...(handedOver && { handedOver }),
      done: (answer) => {
        unlink()
        resolve(takenAs(answer))
      },
      failed: (error) => {
        if (isFirst && error instanceof NothingSent) {
          isFirst = false
          pool.send(pending)
          return
        }
        unlink()
        // This comes once the session is free again, so that a mail that follows at once can use it.
        setImmediate(reject, error)
      },
    }
    const unlink = onAbort(signal, () => pool.cancel(pending))
    pool.send(pending)
  })
}

/** Built when a session has time for it, at every attempt anew: its date is the hand-over. */
function outgoing(message: EmailMessage, host: string, { returnPaths, unsubscribeAddresses }: SmtpSettings): OutgoingMail {
  const { messageId, from, to, replyTo, dkim } = message
  const author = wireAddress(from.email)
  const body = encodedBody(message)
  const unsubscribeAddress = unsubscribeAddresses?.unsubscribeAddressOf(messageId) ?? null
  const mime = buildMime(message, { host, date: new Date(), unsubscribeAddress, body })
  return {
    from: returnPaths?.addressOf(messageId) ?? author,
    to: wireAddress(to),
    inHeaders: replyTo === null ? [author] : [author, wireAddress(replyTo)],
    raw: dkim === undefined ? mime : signMime(mime, dkim),
    // The lines of the headers begin with a name or a blank.
    hasDots: body.hasDots,
  }
}
