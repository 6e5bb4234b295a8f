import { backoffDelay, repeat, unlessAborted } from '@tidings/async'
import { isoNow } from '@tidings/async/clock'
import { unusable } from '@tidings/config'
import { Fenced, leaseHolder, type RowLease } from '@tidings/jobs'
import type { Logger } from '@tidings/observability/log'
import { counter, eachOf, gauge } from '@tidings/observability/metrics'
import type { MessageLookup } from '@tidings/receipts'
import { type Mailbox, mailboxAddress, openMailbox } from '@tidings/receipts/mailbox'
import type { Pool } from 'pg'
import { mailboxLeases } from './mailbox-cursor.ts'
import { type BounceOutcome, type ReadingMails, readMailbox } from './read-mailbox.ts'
import type { TakingMail } from './take-mail.ts'

/**
 * `mailboxUrl`: `imaps://user:pass@host:port/FOLDER`; null where none is read. `mailCallMs`: for connecting. `now`: ISO with milliseconds. `pollMs`: the longest time between two
 * looks, default 30 s. `onOutage` gets why the mailbox is not read, once when an outage begins, and null when it is over; by default the metric
 * and the log do.
 */
export type BouncesOptions = Readonly<{
  mailboxUrl: string | null
  mailCallMs: number
  pool: Pool
  commands: TakingMail['commands']
  lookup: MessageLookup
  returnPaths: TakingMail['returnPaths'] | null
  logger: Logger
  now?: () => string
  pollMs?: number
  retryMs?: number
  onMail?: (outcome: BounceOutcome) => void
  onOutage?: (reason: string | null) => void
}>

const mails = counter(
  {
    name: 'tidings_bounce_mails_total',
    help: 'Mails of the mailbox of bounces by outcome: applied, unsubscribed, repeated, unknown_message, no_news, auto_reply, stranger, unreadable, failed',
    labelNames: ['outcome'],
  },
  eachOf('outcome', [
    'applied',
    'unsubscribed',
    'repeated',
    'unknown_message',
    'no_news',
    'auto_reply',
    'stranger',
    'unreadable',
    'failed',
  ]),
)
const outage = gauge({
  name: 'tidings_bounce_mailbox_outage',
  help: 'Whether the mailbox of bounces cannot be read; in the process that reads it',
})

const POLL_MS = 30_000
const RETRY_MS = 1_000
const LONGEST_RETRY_MS = 60_000

/**
 * Reads the mailbox of bounces in one process at a time. The lease saves the mail server the second reader, and its epoch fences the cursor: receipts
 * themselves are right from two readers at once. Throws one sentence for an address that cannot be used.
 */
export function startBounces(options: BouncesOptions): Readonly<{ stop: () => Promise<void> }> {
  const { pool, mailboxUrl, returnPaths, mailCallMs: callMs, logger, now = isoNow, retryMs = RETRY_MS, pollMs = POLL_MS } = options
  const { onMail = countMail, onOutage = (reason) => reportOutage(logger, reason) } = options
  if (mailboxUrl === null || returnPaths === null) return { stop: async () => undefined }
  const address = usableAddress(mailboxUrl)
  const stopping = new AbortController()
  const { signal } = stopping
  const holder = leaseHolder({ leases: mailboxLeases, pool, name: address.name, signal })
  let failures = 0
  const onProgress = (): void => {
    if (failures > 0) onOutage(null)
    failures = 0
  }
  const onFault = (error: unknown, uid: number): void =>
    logger.error({ err: error, uid }, 'a mail in the mailbox of bounces could not be taken: it is flagged there')
  const reading: ReadingMails = { ...options, returnPaths, now, pollMs, tries: new Map(), onProgress, onMail, onFault }
  outage.set(0)

  const session = async (lease: RowLease, ending: AbortSignal): Promise<void> => {
    let mailbox: Mailbox | undefined
    try {
      mailbox = await openMailbox(address, { callMs })
      await readMailbox(reading, mailbox, lease, ending)
    } finally {
      await mailbox?.close()
    }
  }

  const running = repeat({
    ref: false,
    round: async () => {
      const error = await unlessAborted(
        holder.act(session).then(() => null, asError),
        signal,
      )
      if (error === null || signal.aborted) return pollMs
      if (!(error instanceof Fenced) && failures++ === 0) onOutage(error.message)
      return backoffDelay(failures, { minMs: retryMs, maxMs: LONGEST_RETRY_MS })
    },
  })

  return {
    stop: async () => {
      stopping.abort()
      await running.stop()
      await holder.release()
    },
  }
}

const usableAddress = (url: string): ReturnType<typeof mailboxAddress> => {
  try {
    return mailboxAddress(url)
  } catch (error) {
    throw unusable('TIDINGS_BOUNCE_MAILBOX', error)
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const countMail = (outcome: BounceOutcome): void => mails.inc({ outcome })

const reportOutage = (logger: Logger, reason: string | null): void => {
  outage.set(reason === null ? 0 : 1)
  if (reason === null) logger.info('the mailbox of bounces is read again')
  else logger.error({ reason }, 'the mailbox of bounces cannot be read: its mails wait there, and reading goes on by itself')
}
