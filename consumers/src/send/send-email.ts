import { unlessAborted } from '@tidings/async'
import type { ContentStore, EventLog, Recorded } from '@tidings/codec'
import type { EmailAccepted, EmailContent, MessageCommand, WorkspaceStatus } from '@tidings/domain'

import { type Again, type Job, type Lease, Unrecoverable, type Verdict } from '@tidings/inbox'
import { DeliveryError, type EmailMessage, type EmailProvider } from '@tidings/providers'
import type { Links } from '@tidings/tracking'
import type { RecipientView } from '../views/recipient-view.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { buildMail } from './build-mail.ts'
import { callProvider } from './call-provider.ts'
import { freshHistory, type MessageHistory } from './history.ts'
import type { SuspendedMail } from './hold-suspended.ts'
import type { RecentMail } from './recent-mail.ts'
import { recordOutcome, TAKEOVER_WAIT_MS } from './record-outcome.ts'
import { afterFailure, DURING_OUTAGE, stillUnconfirmed } from './retries.ts'
import { type Look, settledHistory } from './settled-history.ts'
import { blockedBy } from './suppression-checks.ts'

/** `unconfirmedMs`: after how long a mail that may have been taken is sent once more. `onResult` hears how each provider call ended, for metrics. */
export type Sending = Readonly<{
  log: EventLog
  provider: EmailProvider
  content: ContentStore<EmailContent>
  recipients: Pick<RecipientView, 'find'>
  workspaces: Pick<WorkspaceView, 'senderStatus' | 'status' | 'tracks'>
  links: Links
  suspended: Pick<SuspendedMail, 'putOff'>
  fresh: RecentMail
  retryDelaysMs: readonly number[]
  unconfirmedMs: number
  onResult?: (result: 'accepted' | DeliveryError['failure'], ms: number) => void
}>

type AtWork = Readonly<{ lease: Lease; signal: AbortSignal; attempt: number }>

/** The worker that had the job may still record what it did. */
const AFTER_TAKEOVER: Again = { inMs: TAKEOVER_WAIT_MS, counts: false, reason: 'taken over: its outcome may be about to be recorded' }
/** What was appended last may still arrive. */
const UNRECORDED: Again = { inMs: TAKEOVER_WAIT_MS, counts: false, reason: 'stopped before the outcome was recorded' }

/**
 * Sends one queued email: still queued, recipient still there and not blocked, sender still verified, then one call to the provider, then
 * its outcome in the log. The log decides what is still to do, so a job that comes twice sends once; only a crash or a stall between the
 * provider's yes and the append sends again, and an answer that never came, once: under the same Message-ID.
 */
export async function sendEmail(sending: Sending, job: Job, lease: Lease, signal: AbortSignal): Promise<Verdict> {
  const accepted = sending.fresh.take(job.payload)
  // Before its history is read: all that a suspended workspace has waiting may be claimed at once.
  if (!job.takenOver && (await statusOf(sending, job, signal)) === 'suspended') return await sending.suspended.putOff(job.workspaceId)
  const { history, isSettled } = await lookAt(job, accepted, { log: sending.log, lease, signal })
  signal.throwIfAborted()
  if (history.state.status !== 'queued') return 'done'
  if (!isSettled) return AFTER_TAKEOVER
  // What was remembered, and what caches know, is of a log that may have gone back since.
  await sending.log.confirm()
  const next = await deliver(sending, history, { lease, signal, attempt: job.attempt })
  if ('inMs' in next) return next
  try {
    await whileKept(lease, (lost) => recordOutcome({ log: sending.log, signal, lost }, history, next))
    return 'done'
  } catch (error) {
    if (signal.aborted) return UNRECORDED
    throw next.type === 'RecordSent' ? unrecorded(error) : error
  }
}

/** Renews the lease for as long as the work takes; `lost` says whether another worker has the job. */
async function whileKept(lease: Lease, work: (lost: () => boolean) => Promise<void>): Promise<void> {
  const kept = lease.keep()
  try {
    await work(kept.lost)
  } finally {
    kept.end()
  }
}

/** At once where it is known; null when the signal comes first. */
const statusOf = (
  { workspaces }: Sending,
  { workspaceId }: Job,
  signal: AbortSignal,
): WorkspaceStatus | Promise<WorkspaceStatus | null> => {
  const status = workspaces.status(workspaceId)
  return typeof status === 'string' ? status : unlessAborted(status, signal)
}

type Reading = Pick<Sending, 'log'> & Omit<AtWork, 'attempt'>

async function lookAt(job: Job, accepted: Recorded<EmailAccepted> | undefined, reading: Reading): Promise<Look> {
  if (accepted !== undefined && !job.takenOver) return { history: freshHistory(accepted), isSettled: true }
  return await settledHistory(reading, job)
}

/** The mail has left, and the log can never say so: another try would send it again. */
const unrecorded = (error: unknown): Unrecoverable =>
  new Unrecoverable(`sent, but its outcome cannot be recorded: ${error instanceof Error ? error.message : String(error)}`, { cause: error })

async function deliver(sending: Sending, history: MessageHistory, atWork: AtWork): Promise<Again | MessageCommand> {
  const { recipients, workspaces } = sending
  const { accepted } = history
  const { meta, data } = accepted
  const waiting = stillUnconfirmed(history.unconfirmedAt, atWork.attempt, sending.unconfirmedMs)
  if (waiting !== null) return waiting
  if (accepted.erased) return { type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } }
  const recipient = await recipients.find(meta.workspaceId, data.contactId)
  const senderStatus = await workspaces.senderStatus(meta.workspaceId, data.fromEmail)
  if (senderStatus === 'suspended') return await sending.suspended.putOff(meta.workspaceId)
  const blocked = blockedBy(recipient, senderStatus)
  if (blocked !== null) return blocked
  const content = data.content ?? (await storedContent(sending, meta.workspaceId, data.contentId))
  if (content === null) return { type: 'RecordFailed', data: { reason: 'expired', detail: null } }
  return await sendMail(sending, await buildMail(sending, accepted, content), { ...atWork, history })
}

async function sendMail(
  { log, provider, retryDelaysMs, unconfirmedMs, onResult }: Sending,
  mail: EmailMessage,
  { lease, signal, attempt, history }: AtWork & Readonly<{ history: MessageHistory }>,
): Promise<Again | MessageCommand> {
  // Also where the job is another worker's by now: the mail may have left.
  const recording = { log, signal, lost: () => false }
  const inDoubt = () => recordOutcome(recording, history, { type: 'RecordUnconfirmed', data: { provider: provider.name } })
  const started = performance.now()
  try {
    const calling = { lease, signal, callMs: provider.callMs, inDoubt }
    const { providerMessageId } = await callProvider(calling, (options) => provider.send(mail, options))
    onResult?.('accepted', performance.now() - started)
    return { type: 'RecordSent', data: { provider: provider.name, providerMessageId } }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    onResult?.(error.failure, performance.now() - started)
    if (error.failure === 'outage') return DURING_OUTAGE
    if (error.failure !== 'unconfirmed' || history.state.unconfirmed) return afterFailure(error, attempt, retryDelaysMs)
    try {
      await whileKept(lease, inDoubt)
    } catch (fault) {
      // The log was away until we were stopped: then the inbox alone says that the mail waits.
      if (!signal.aborted) throw fault
    }
    return { inMs: unconfirmedMs, counts: true, reason: 'the answer to the mail is missing' }
  }
}

/** Null where it can be read no more: its retention is over, or the person was erased. */
async function storedContent({ content }: Sending, workspaceId: string, contentId: string | null): Promise<EmailContent | null> {
  const stored = contentId === null ? null : await content.get(workspaceId, contentId)
  return stored === 'erased' ? null : stored
}
