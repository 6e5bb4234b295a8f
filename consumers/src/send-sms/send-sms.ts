import { randomUUID } from 'node:crypto'
import { type MaybePromise, whenKnown } from '@tidings/async'
import type { MessageCommand, SmsAccepted, WorkspaceId } from '@tidings/domain'
import type { Deferral, Job, Lease, Verdict } from '@tidings/jobs'
import type { DeliveryError, SmsProvider } from '@tidings/providers'
import { type Attempt, type Beginning, beginAttempt } from '../send/begin-attempt.ts'
import { contentEnded, EXPIRED } from '../send/content-ended.ts'
import { endAttempt } from '../send/end-attempt.ts'
import { addressedHistory, addressInDoubt } from '../send/handed-to.ts'
import { existingHistory, historyOf, type MessageHistory } from '../send/history.ts'
import { stillUnconfirmed } from '../send/retries.ts'
import { type Calls, type OnResult, sendOnce } from '../send/send-once.ts'
import { type SmsGates, smsGates } from '../send/sending-checks.ts'
import { afterSmsFailure } from './after-sms-failure.ts'
import type { Payment, Payments } from './payments.ts'

/** The rest is as for email. `payments`: from the wallet of the workspace. `senderNumbers`: the numbers that the provider gets in place of sender IDs (M48). */
export type SmsSending = Omit<Beginning, 'workspaces'> &
  SmsGates &
  Readonly<{ unconfirmedMs: number; onResult?: OnResult | undefined }> &
  Readonly<{
    provider: SmsProvider
    payments: Payments
    senderNumbers: Readonly<{ numberOf: (sender: Readonly<{ workspaceId: WorkspaceId; senderId: string }>) => MaybePromise<string | null> }>
    retryDelaysMs: readonly number[]
  }>

const BUSY: Deferral = { type: 'Deferred', inMs: 1_000, counts: false, deferredFor: 'wallet_busy' }
const NO_CREDITS: MessageCommand = { type: 'RecordSkipped', data: { reason: 'insufficient_credits' } }

/**
 * Sends one queued text message: still queued, recipient still there and not blocked, sender ID still approved, its price held, then one
 * call to the provider, then its outcome in the log, then the end of the hold. The hold comes before the history is read: what was sent before
 * it is then seen, and so a message is paid once. The hold is the message's until its outcome, over all its tries (M58).
 */
export async function sendSms(sending: SmsSending, job: Job, lease: Lease, signal: AbortSignal): Promise<Verdict> {
  const attempt: Attempt = { job, lease, signal }
  const begun = await beginAttempt(sending, attempt)
  if (begun === 'done' || begun.type === 'Deferred') return begun
  const history = addressInDoubt(historyOf('SmsAccepted', begun.history))
  const blocked = await blockedNow(sending, history, attempt)
  if (blocked !== null) return await ended(sending, { history, next: blocked }, attempt)
  const { workspaceId } = history.accepted.meta
  const { messageId, credits } = history.accepted.data
  const payment = await sending.payments.hold({ workspaceId, messageId, amount: credits, holder: randomUUID() })
  if (payment === 'busy') return BUSY
  if (payment === 'insufficient_credits') return await ended(sending, { history, next: NO_CREDITS }, attempt)
  return await sendPaid(sending, { history, isJustAccepted: begun.isJustAccepted, payment }, attempt)
}

/** Another time, or an outcome, where it is not to be sent now; null where it is. */
async function blockedNow(
  sending: SmsSending,
  { accepted, unconfirmedAt }: MessageHistory<SmsAccepted>,
  { job }: Attempt,
): Promise<Deferral | MessageCommand | null> {
  const waiting = stillUnconfirmed(unconfirmedAt, job.attempt, sending.unconfirmedMs)
  if (waiting !== null) return waiting
  if (accepted.erased) return { type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } }
  if (contentEnded(accepted, accepted.data.body)) return EXPIRED
  if (accepted.data.body === '') return { type: 'RecordFailed', data: { reason: 'template_render_failed', detail: null } }
  return await smsGates.early(sending, accepted)
}

type Paid = Readonly<{ history: MessageHistory<SmsAccepted>; isJustAccepted: boolean; payment: Payment }>

async function sendPaid(sending: SmsSending, paid: Paid, attempt: Attempt): Promise<Verdict> {
  const { payment } = paid
  const history = paid.isJustAccepted ? paid.history : await historyNow(sending, paid.history)
  if (history.state.status !== 'queued') {
    await payment.reconcile()
    return 'done'
  }
  const waiting = stillUnconfirmed(history.unconfirmedAt, attempt.job.attempt, sending.unconfirmedMs)
  // The hold is of the attempt whose answer is missing.
  if (waiting !== null) return waiting
  const addressed = await addressedHistory(sending, history)
  if (!('state' in addressed)) return await ended(sending, { history, next: addressed, payment }, attempt)
  const next = await callFor(sending, addressed, attempt)
  return await ended(sending, { history: addressed, next, payment }, attempt)
}

async function historyNow({ log }: SmsSending, { accepted }: MessageHistory<SmsAccepted>): Promise<MessageHistory<SmsAccepted>> {
  return addressInDoubt(historyOf('SmsAccepted', await existingHistory(log, accepted.meta.workspaceId, accepted.data.messageId)))
}

function callFor(sending: SmsSending, history: MessageHistory<SmsAccepted>, attempt: Attempt): Promise<Deferral | MessageCommand> {
  const { provider, retryDelaysMs, senderNumbers } = sending
  const { workspaceId } = history.accepted.meta
  const { messageId, from, body } = history.accepted.data
  const to = history.state.to ?? history.accepted.data.to
  let ownNumber: string | null = null
  const message = { workspaceId, messageId, to, from, body, ownNumber: () => ownNumber }
  const calls: Calls = { ...sending, afterFailure: (error: DeliveryError, n) => afterSmsFailure(error, n, retryDelaysMs) }
  const gate = () =>
    whenKnown(senderNumbers.numberOf({ workspaceId, senderId: from }), (number) => {
      ownNumber = number
      return smsGates.atFence(sending, history.accepted, to)
    })
  return sendOnce(calls, history, { ...attempt, gate, call: (options) => provider.send(message, options) })
}

type Ending = Readonly<{ history: MessageHistory<SmsAccepted>; next: Deferral | MessageCommand; payment?: Payment }>

/** Puts the job off, or records the outcome; then ends the hold by it. */
async function ended({ log }: SmsSending, { history, next, payment }: Ending, attempt: Attempt): Promise<Verdict> {
  if (next.type === 'Deferred') {
    // The credits of one whose answer is missing may be spent already.
    if (next.deferredFor !== 'answer_missing') await payment?.putOff(attempt.lease)
    return next
  }
  const recorded = await endAttempt(log, { history, outcome: next }, attempt)
  if (typeof recorded !== 'string') return recorded
  if (recorded === 'decided again') await payment?.reconcile()
  else if (next.type === 'RecordSent') await payment?.settle()
  else await payment?.release(attempt.lease)
  return 'done'
}
