import { unlessAborted } from '@tidings/async'
import type { EventLog, Recorded } from '@tidings/codec'
import { asMessageId, isToSend, type MessageId, type WorkspaceId, type WorkspaceStatus } from '@tidings/domain'
import type { Deferral, Job, Lease, Verdict } from '@tidings/jobs'
import { type Accepted, justAcceptedHistory, type MessageHistory } from './history.ts'
import { noteMessage } from './record-attempts.ts'
import { TAKEOVER_WAIT_MS } from './record-outcome.ts'
import { settledHistory } from './settled-history.ts'

/** One run of a worker on a job. */
export type Attempt = Readonly<{ job: Job; lease: Lease; signal: AbortSignal }>

/** What an attempt of any channel needs before it looks at its message. */
export type Beginning = Readonly<{
  log: EventLog
  workspaces: Readonly<{ status: (workspaceId: WorkspaceId) => WorkspaceStatus | Promise<WorkspaceStatus> }>
  suspended: Readonly<{ putOff: (workspaceId: WorkspaceId) => Promise<Deferral> }>
  recent: Readonly<{ take: (messageId: MessageId) => Recorded<Accepted> | undefined }>
}>

/** `isJustAccepted`: the message was accepted a moment ago, and no worker has had its job before. */
export type Begun = Readonly<{ type: 'Begun'; history: MessageHistory; isJustAccepted: boolean }>

/** The worker that had the job may still record what it did. */
export const AFTER_TAKEOVER: Deferral = {
  type: 'Deferred',
  inMs: TAKEOVER_WAIT_MS,
  counts: false,
  deferredFor: 'taken_over',
}

/** The message of the job, still to be sent; or what becomes of the job without a look at anything else. */
export async function beginAttempt(sending: Beginning, { job, lease, signal }: Attempt): Promise<Verdict | Begun> {
  const accepted = sending.recent.take(asMessageId(job.payload))
  // The check comes before the history is read: all waiting jobs of a suspended workspace may be claimed at once.
  if (!job.takenOver && (await statusOf(sending, job, signal)) === 'suspended') return await sending.suspended.putOff(job.workspaceId)
  const isJustAccepted = accepted !== undefined && !job.claimedBefore
  const { history, isSettled } = isJustAccepted
    ? { history: justAcceptedHistory(accepted), isSettled: true }
    : await settledHistory({ log: sending.log, lease, signal }, job)
  signal.throwIfAborted()
  noteMessage(history.accepted)
  if (!isToSend(history.state)) return 'done'
  if (!isSettled) return AFTER_TAKEOVER
  // The log may have gone back since the history and the caches were read.
  await sending.log.confirm()
  return { type: 'Begun', history, isJustAccepted }
}

/** Answers at once if it is known; null if the signal comes first. */
const statusOf = (
  { workspaces }: Beginning,
  { workspaceId }: Job,
  signal: AbortSignal,
): WorkspaceStatus | Promise<WorkspaceStatus | null> => {
  const status = workspaces.status(workspaceId)
  return typeof status === 'string' ? status : unlessAborted(status, signal)
}
