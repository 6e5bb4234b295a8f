import { onAbort, pause } from '@tidings/async'
import { withoutCredentials } from '@tidings/providers'
import type { ImapFlow } from 'imapflow'
import { type Listing, listMails } from './list-mails.ts'
import { type MailboxAddress, mailboxAddress } from './mailbox-address.ts'

/** The beginning of a mail, at most 256 KiB; `raw` is empty where the server did not give it. */
export type StoredMail = Readonly<{ uid: number; raw: Buffer }>

/** A folder of an IMAP server, over one session. Every call rejects with `MailboxAway` when the server cannot be used. */
export type Mailbox = Readonly<{
  /** Mails whose UID is greater than `after.uid`, the oldest first, and from the first on where the folder is another than it was. */
  list: (after: Readonly<{ uidValidity: bigint; uid: number }>) => Promise<Listing>
  /** Reads a few mails in the order of their UIDs, without those that are gone. */
  read: (uids: readonly number[]) => Promise<readonly StoredMail[]>
  /** False where the server does not let us. */
  flag: (uids: readonly number[], flag: '\\Seen' | '\\Flagged') => Promise<boolean>
  /** Resolves when there may be new mail, after `ms`, or when the signal aborts. */
  waitForMail: (ms: number, signal: AbortSignal) => Promise<void>
  close: () => Promise<void>
}>

/** The server cannot be used. Its message has no credentials. */
class MailboxAway extends Error {
  override readonly name = 'MailboxAway'
  readonly retryable = true
}

/** Enough for what a report says; the mail that it gives back comes behind that, and may be cut. */
const MAIL_BYTES = 256 * 1024
/** What the server may send in one literal or one line, and in one answer: a page of mails is 20. */
const LITERAL_BYTES = 2 * MAIL_BYTES
/** No answer at all for so long: the session is given up. Longer than the reader waits between two looks. */
const SILENCE_MS = 120_000
/** A server that says something all the time, and nothing that was asked, must not block the reader: the longest time of one look. */
const LOOK_MS = 120_000

/** `callMs`: for connecting and for the greeting. `lookMs`: for the login, for a listing, and for each page that is read or flagged. */
export type MailboxTimes = Readonly<{ callMs: number; lookMs?: number }>

/** Opens a session and the folder. */
export async function openMailbox(address: MailboxAddress, { callMs, lookMs = LOOK_MS }: MailboxTimes): Promise<Mailbox> {
  const client = await createClient(address, callMs)
  const away = (error: unknown): MailboxAway => new MailboxAway(sentenceOf(error, address))
  const use = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const { promise: over, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error(`no answer in ${lookMs / 1_000} s`)), lookMs)
    try {
      return await Promise.race([work(), over])
    } catch (error) {
      client.close()
      throw away(error)
    } finally {
      clearTimeout(timer)
    }
  }
  // An error without a listener would end the process; the call that is under way rejects as well.
  client.on('error', () => undefined)
  // Announced while no caller waits: between a look and the next wait the server may say so in any answer.
  let isAnnounced = false
  client.on('exists', () => {
    isAnnounced = true
  })
  await use(async () => {
    await client.connect()
    await client.mailboxOpen(address.folder)
  })
  return {
    list: (after) =>
      use(() => {
        isAnnounced = false
        return listMails(client, address.folder, after)
      }),
    read: (uids) => use(() => read(client, uids)),
    flag: (uids, flag) => use(() => client.messageFlagsAdd([...uids], [flag], { uid: true })),
    waitForMail: async (ms, signal) => {
      if (!isAnnounced) await untilMail(client, ms, signal)
    },
    close: async () => {
      await Promise.race([client.logout().catch(() => undefined), pause(callMs, new AbortController().signal, { ref: false })])
      client.close()
    },
  }
}

const createClient = async ({ host, port, secure, tls, verify, credentials }: MailboxAddress, callMs: number): Promise<ImapFlow> => {
  // Loaded where there is a mailbox: 130 modules, 0.1 s of a start.
  const { ImapFlow } = await import('imapflow')
  return new ImapFlow({
    host,
    port,
    secure,
    ...(!secure && tls !== 'optional' && { doSTARTTLS: tls === 'required' }),
    tls: { rejectUnauthorized: verify },
    auth: credentials,
    // It would log what the server says, and the server may repeat a password.
    logger: false,
    disableCompression: true,
    // The session ends as soon as there is nothing to do, instead of 15 s later.
    autoIdleDelay: 100,
    connectionTimeout: callMs,
    greetingTimeout: callMs,
    socketTimeout: SILENCE_MS,
    maxLiteralSize: LITERAL_BYTES,
    maxLineLength: LITERAL_BYTES,
  })
}

async function read(client: ImapFlow, uids: readonly number[]): Promise<readonly StoredMail[]> {
  const mails: StoredMail[] = []
  const wanted = new Set(uids)
  for await (const { uid, source } of client.fetch([...uids], { uid: true, source: { start: 0, maxLength: MAIL_BYTES } }, { uid: true }))
    if (wanted.delete(uid)) mails.push({ uid, raw: (source ?? Buffer.alloc(0)).subarray(0, MAIL_BYTES) })
  return mails.sort((one, other) => one.uid - other.uid)
}

/** The client asks the server to announce new mail while it has nothing to do (IDLE, RFC 2177), where the server can. */
async function untilMail(client: ImapFlow, ms: number, signal: AbortSignal): Promise<void> {
  const woken = new AbortController()
  const wake = (): void => woken.abort()
  const unlink = onAbort(signal, wake)
  client.once('exists', wake)
  client.once('close', wake)
  await pause(ms, woken.signal, { ref: false })
  client.off('exists', wake)
  client.off('close', wake)
  unlink()
}

/** The server's own words are in `responseText`. */
function sentenceOf(error: unknown, { host, port, credentials }: MailboxAddress): string {
  const { message = String(error), responseText } = error as Readonly<{ message?: string; responseText?: string }>
  const said = [...withoutCredentials(responseText ? `${message} ${responseText}` : message, credentials)].slice(0, 300).join('')
  return `${host}:${port} cannot be used: ${said}`
}

/** Opens the mailbox as reading does, and closes it. The result is one sentence; so is what it throws, without credentials. */
export async function tryMailbox(url: string, callMs: number): Promise<string> {
  const address = mailboxAddress(url)
  const { host, port, folder, secure, tls, verify } = address
  const mailbox = await openMailbox(address, { callMs, lookMs: callMs })
  await mailbox.close()
  const lifted = [
    ...(secure || tls === 'required' ? [] : ['the password may be sent in clear']),
    ...(verify ? [] : ['verify=off: the certificate is not checked']),
  ]
  return [`${host}:${port} answers, and ${folder} can be read`, ...lifted].join('; ')
}
