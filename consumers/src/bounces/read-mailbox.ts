import type { RowLease } from '@tidings/jobs'
import { isRetryable } from '@tidings/postgres'
import type { Mailbox, StoredMail } from '@tidings/receipts/mailbox'
import type { Pool } from 'pg'
import { type Cursor, moveCursor, readCursor } from './mailbox-cursor.ts'
import { type MailOutcome, type TakingMail, takeMail } from './take-mail.ts'

/** `failed`: it could not be taken, again and again; it stays flagged in the mailbox. */
export type BounceOutcome = MailOutcome | 'failed'

/**
 * `tries`: how often a mail failed, by its UID; it outlives a session. `onProgress`: mails were taken, or there are none. `onFault` hears of
 * a mail that is given up.
 */
export type ReadingMails = TakingMail &
  Readonly<{
    pool: Pool
    tries: Map<number, number>
    pollMs: number
    onProgress: () => void
    onMail: (outcome: BounceOutcome) => void
    onFault: (error: unknown, uid: number) => void
  }>

/** Mails in memory at once: at most 5 MiB. */
const PAGE = 20
/** A mail that fails for a reason of its own must not keep the others back for ever. */
const MAX_TRIES = 5

/**
 * Reads the folder from the cursor on, the oldest mail first, a page at a time, and then what comes, until the signal aborts. A page ends with
 * its flags, which are for people, and then the cursor: after a crash in between its mails are taken again, and change nothing. Throws what
 * can be tried again: the mails before it are done, and the others come in the next session.
 */
export async function readMailbox(reading: ReadingMails, mailbox: Mailbox, lease: RowLease, signal: AbortSignal): Promise<void> {
  const { pool, pollMs } = reading
  let cursor = await readCursor(pool, lease)
  while (!signal.aborted) {
    const { uidValidity, uids, more } = await mailbox.list(cursor)
    // The numbers of another folder say nothing about this one.
    if (uidValidity !== cursor.uidValidity) reading.tries.clear()
    for (let at = 0; at < uids.length && !signal.aborted; at += PAGE) {
      const page = uids.slice(at, at + PAGE)
      cursor = await readPage({ ...reading, mailbox, lease, signal }, { uidValidity, uid: page.at(-1) ?? 0 }, await mailbox.read(page))
    }
    if (uids.length === 0) reading.onProgress()
    if (!more && !signal.aborted) await mailbox.waitForMail(pollMs, signal)
  }
}

type ReadingPage = ReadingMails & Readonly<{ mailbox: Mailbox; lease: RowLease; signal: AbortSignal }>

/** Gives the cursor behind the page: behind mails that are gone too. */
async function readPage(reading: ReadingPage, end: Cursor, mails: readonly StoredMail[]): Promise<Cursor> {
  const done: [uid: number, outcome: BounceOutcome][] = []
  let reached = mails.length === 0 ? end : null
  try {
    for (const mail of mails) {
      if (reading.signal.aborted) break
      done.push([mail.uid, await takeOrGiveUp(reading, mail)])
    }
    if (done.length === mails.length) reached = end
  } finally {
    const last = done.at(-1)
    reached ??= last === undefined ? null : { ...end, uid: last[0] }
    if (reached !== null) await finish(reading, done, reached)
  }
  return reached ?? end
}

async function finish(
  { mailbox, pool, lease, onMail, onProgress }: ReadingPage,
  done: readonly [number, BounceOutcome][],
  reached: Cursor,
): Promise<void> {
  const having = (...outcomes: readonly BounceOutcome[]) => done.flatMap(([uid, outcome]) => (outcomes.includes(outcome) ? [uid] : []))
  const flags = [
    { flag: '\\Flagged', uids: having('unreadable', 'failed') },
    { flag: '\\Seen', uids: having('applied', 'unsubscribed', 'repeated', 'unknown_message', 'no_news', 'auto_reply') },
  ] as const
  for (const { flag, uids } of flags) if (uids.length > 0) await mailbox.flag(uids, flag)
  await moveCursor(pool, lease, reached)
  onProgress()
  for (const [, outcome] of done) onMail(outcome)
}

async function takeOrGiveUp(reading: ReadingPage, mail: StoredMail): Promise<BounceOutcome> {
  const { tries, onFault } = reading
  try {
    return await takeMail(reading, mail)
  } catch (error) {
    if (isRetryable(error)) throw error
    const failed = (tries.get(mail.uid) ?? 0) + 1
    tries.set(mail.uid, failed)
    if (failed < MAX_TRIES) throw error
    tries.delete(mail.uid)
    onFault(error, mail.uid)
    return 'failed'
  }
}
