import { onAbort } from '@tidings/async'
import type { WorkspaceId } from '@tidings/domain'
import { messageIdHost, providerIdOf } from '../email/message-id.ts'
import { buildMime } from '../email/mime/build-mime.ts'
import { encodedBody } from '../email/mime/encoded-body.ts'
import { wireAddress } from '../email/mime/header.ts'
import { signMime } from '../email/mime/sign-mime.ts'
import type { EmailMessage, EmailProvider, EnvelopeSenders, UnsubscribeAddresses } from '../email/port.ts'
import type { SendOptions } from '../port.ts'
import { answerInClear, type TakenMessage } from '../taken.ts'
import { SendThrottle } from '../throttle/send-throttle.ts'
import { connectionOptions, relayAddress } from './session.ts'
import { NothingSent, type PendingMail } from './smtp-pipeline.ts'
import { SmtpPool } from './smtp-pool.ts'
import type { OutgoingMail } from './transaction.ts'

/**
 * `url`: `smtp://user:pass@host:port` or `smtps://…`. `connections`: sessions at once, each of which is closed after `maxMessages`, or after `idleMs`
 * without work. `callMs`: for connecting and each command; `answerMs`: for the answer to a mail. The rest as for every email provider.
 */
export type SmtpSettings = Readonly<{
  url: string
  publicUrl: string
  connections: number
  maxMessages: number
  idleMs: number
  callMs: number
  answerMs: number
  returnPaths?: EnvelopeSenders
  unsubscribeAddresses?: UnsubscribeAddresses
  onOutage?: (reason: string | null) => void
}>

/**
 * Email over pooled SMTP sessions. CPU of a message of 2 KB html, MIME included: 58 µs, 65 where the relay does not pipeline; nodemailer's
 * pooled transport takes 235 with the same MIME (docs/adr/0017-own-smtp-session.md).
 * The provider's id of a message is the name that the relay gives it in its answer, which its log has; else its Message-ID without the brackets.
 */
export function smtpProvider(settings: SmtpSettings): EmailProvider {
  const { callMs, answerMs, connections: max, maxMessages, idleMs, onOutage = () => undefined } = settings
  const host = messageIdHost(settings.publicUrl)
  const relay = relayAddress(settings.url)
  const pool = new SmtpPool({
    options: connectionOptions(relay, callMs),
    credentials: relay.credentials,
    callMs,
    answerMs,
    max,
    maxMessages,
    idleMs,
    onOutage,
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
      const takenAs = (answer: string): TakenMessage => ({
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

type MailToSend = SendOptions & Readonly<{ workspaceId: WorkspaceId; build: () => OutgoingMail }>

/** Resolves with what `takenAs` makes of the server's answer when it has taken the mail. It may have closed a pooled session a moment ago: then the mail goes to another one, once. */
function sendThrough(
  pool: SmtpPool,
  { signal, fence, priority, handedOver, isFencedLast, workspaceId, build }: MailToSend,
  takenAs: (answer: string) => TakenMessage,
): Promise<TakenMessage> {
  return new Promise((resolve, reject) => {
    let isFirst = true
    const pending: PendingMail = {
      signal,
      fence,
      priority,
      workspaceId,
      build,
      ...(handedOver && { handedOver }),
      ...(isFencedLast && { isFencedLast }),
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

/** How mail servers name a mail that they took: Postfix, Haraka and others; Exim; Sendmail; Gmail; Amazon SES, SparkPost; qmail. The first that fits counts. Each is all
 * that the server says in its place: an id of a session, or of a filter before the server, comes again with every mail. */
const NAMES: readonly RegExp[] = [
  /\bqueued as:? *<?([\w.+/=@-]+)/i,
  /\bmessage queued \(([\w.+/=-]+)\)/i,
  /^250 (?:\d\.\d\.\d )?OK id=(\w{6}-\w{6,11}-\w{2,4})\s*$/i,
  /^250 \d\.\d\.\d ([\w.-]{8,}) Message accepted for delivery/i,
  /^250 (?:\d\.\d\.\d )?OK +\d{9,} +([\w.-]{8,}) +- +gsmtp/i,
  /^250 (?:\d\.\d\.\d )?Ok:? +([\da-f]{16}-[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}-\d{6}|[\da-f]{2}\/[\w-]{10,})\s*$/i,
  /^250 ok (\d{9,} qp \d+)/i,
]
/** Words that follow in the answers of some, and name nothing. */
const WORDS = /^(?:for|ok|delivery|mail|message)$/i
const MAX = 200

/**
 * The name that a mail server gives a mail in its answer; null where it gives none. It is what stands in the server's log. It is kept in clear: one that
 * has an address, or the name of the recipient's mailbox in any spelling, is none.
 */
export function queueIdIn(answer: string, to: string): string | null {
  const line = answer.slice(answer.lastIndexOf('\n') + 1, answer.lastIndexOf('\n') + 1_000)
  for (const name of NAMES) {
    const found = name.exec(line)?.[1]?.replace(/[.@-]+$/, '')
    if (found !== undefined && found !== '' && found.length <= MAX && !WORDS.test(found)) return namesMailbox(found, to) ? null : found
  }
  return null
}

/** Fewer letters occur in many ids by chance. */
const MIN_INSIDE = 4
const NO_LETTERS = /[^\p{L}\p{N}]+/gu

function namesMailbox(id: string, to: string): boolean {
  if (/@|%40/i.test(id)) return true
  const local = to.slice(0, to.lastIndexOf('@')).normalize('NFKC').toLowerCase()
  const words = id.normalize('NFKC').toLowerCase()
  return [local, local.replace(/\+.*$/s, '')].some((mailbox) => {
    const letters = mailbox.replace(NO_LETTERS, '')
    if (letters === '') return false
    return letters.length < MIN_INSIDE ? words.split(NO_LETTERS).includes(letters) : words.replace(NO_LETTERS, '').includes(letters)
  })
}
