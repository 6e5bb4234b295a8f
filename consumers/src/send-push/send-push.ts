import type { CommandExecutor } from '@tidings/commands'
import { type MessageCommand, type PushAccepted, sameJson } from '@tidings/domain'
import type { Deferral, Job, Lease, Verdict } from '@tidings/jobs'
import type { Links } from '@tidings/mail-content'
import { type PushProvider, payloadTooLarge, pushPayload } from '@tidings/providers'
import { AFTER_TAKEOVER, type Attempt, type Beginning, beginAttempt } from '../send/begin-attempt.ts'
import { type Block, GateClosed } from '../send/call-provider.ts'
import { contentEnded, EXPIRED } from '../send/content-ended.ts'
import { endAttempt } from '../send/end-attempt.ts'
import { historyOf, type MessageHistory } from '../send/history.ts'
import { recordProviderCall } from '../send/record-attempts.ts'
import type { OnResult } from '../send/send-once.ts'
import { type Gates, pushGates } from '../send/sending-checks.ts'
import type { Recipient } from '../views/recipient-view.ts'
import { type AfterPush, afterPush, endPush } from './after-push.ts'
import { callBrowsers, type FailedCall } from './call-browsers.ts'
import { forgetBrowser, revokeBrowser } from './forget-browser.ts'
import { liveBrowsers } from './live-browsers.ts'
import { type Slots, untilSlot } from './slots.ts'

/** The rest is as for email. `commands` removes browsers that are gone from their contact. `slots`: the slots of the lane. */
export type PushSending = Omit<Beginning, 'workspaces'> &
  Gates &
  Readonly<{ onResult?: OnResult | undefined }> &
  Readonly<{
    provider: PushProvider
    commands: CommandExecutor
    links: Pick<Links, 'clickUrl'>
    retryDelaysMs: readonly number[]
    slots: Slots
  }>

/** Nothing was tried: the next attempt calls those that the contact has by then. */
const BROWSERS_CHANGED: Deferral = { type: 'Deferred', inMs: 0, counts: false, deferredFor: 'browsers_changed' }

type History = MessageHistory<PushAccepted>
/** `gone`: to be revoked. */
type NextWithGone = AfterPush & Readonly<{ gone?: readonly FailedCall[] }>

/**
 * Sends one queued push to the browsers that the contact has now: still queued, recipient still there, marketing allowed, then one call for
 * each browser at once, then what they answered in the log. A browser that has answered for good is not called again for this message; a crash
 * between its answer and the log calls it once more, and it shows the message once: topic and tag are the same.
 */
export async function sendPush(sending: PushSending, job: Job, lease: Lease, signal: AbortSignal): Promise<Verdict> {
  // The check comes before the history is read: all waiting jobs of a workspace may be claimed at once.
  const leave = sending.slots.forWorkspace(job.workspaceId)
  if (leave === null) return job.takenOver ? AFTER_TAKEOVER : untilSlot()
  try {
    return await attemptPush(sending, { job, lease, signal })
  } finally {
    leave()
  }
}

async function attemptPush(sending: PushSending, attempt: Attempt): Promise<Verdict> {
  const begun = await beginAttempt(sending, attempt)
  if (begun === 'done' || begun.type === 'Deferred') return begun
  const history = historyOf('PushAccepted', begun.history)
  const { outcome, again, gone = [] } = await nextOf(sending, history, attempt)
  if (outcome !== null) {
    const ended = await endAttempt(sending.log, { history, outcome }, attempt)
    if (typeof ended !== 'string') return ended
  }
  // This follows the outcome: with the last browser the consent goes, and without it another attempt would skip the message.
  for (const one of gone) await revokeBrowser({ commands: sending.commands, accepted: history.accepted }, one)
  return again ?? 'done'
}

async function nextOf(sending: PushSending, history: History, attempt: Attempt): Promise<NextWithGone> {
  const { accepted, state } = history
  const { workspaceId } = accepted.meta
  if (accepted.erased) return ended(history, failure('undeliverable'))
  if (contentEnded(accepted, accepted.data.title)) return ended(history, EXPIRED)
  const blocked = await pushGates.early(sending, accepted)
  if (blocked !== null) return blockedBy(history, blocked)
  const recipient = await sending.recipients.find(workspaceId, accepted.data.contactId)
  const message = messageOf(sending, history)
  const tooLarge = payloadTooLarge(pushPayload(message))
  if (tooLarge !== null) return ended(history, failure('template_render_failed', tooLarge))
  const browsers = await browsersFor(sending, history, recipient)
  if (browsers.length === 0) {
    const now = await sending.recipients.find(workspaceId, accepted.data.contactId)
    return sameJson(now.browsers, recipient.browsers)
      ? ended(history, failure('undeliverable'))
      : { outcome: null, again: BROWSERS_CHANGED }
  }
  const leave = sending.slots.forServices(
    workspaceId,
    browsers.map(({ endpoint }) => endpoint),
  )
  if (leave === null) return { outcome: null, again: untilSlot() }
  const gate = () => pushGates.atFence(sending, accepted)
  const calling = { ...sending, noteAnswer: sending.slots.noteAnswer, priority: accepted.data.kind, gate }
  const call = () => callBrowsers(calling, { message, browsers }, attempt).finally(leave)
  const answers = await unlessClosed(recordProviderCall(() => sending.provider.name, call))
  if ('block' in answers) return blockedBy(history, answers.block)
  // The contact may have registered another browser meanwhile.
  if (answers.every((answer) => answer.failure !== null && answer.wasCalled === false)) return { outcome: null, again: BROWSERS_CHANGED }
  const gone = answers.filter((answer): answer is FailedCall => answer.failure === 'recipient' && answer.wasCalled !== false)
  const round = { state, provider: sending.provider.name, attempt: attempt.job.attempt, delays: sending.retryDelaysMs }
  return { ...afterPush(answers, round), gone }
}

const unlessClosed = async <Answers>(calls: Promise<Answers>): Promise<Answers | Readonly<{ block: Block }>> => {
  try {
    return await calls
  } catch (error) {
    if (error instanceof GateClosed) return error
    throw error
  }
}

const blockedBy = (history: History, block: Block): AfterPush =>
  block.type === 'Deferred' ? { outcome: null, again: block } : ended(history, block)

const ended = ({ state }: History, outcome: MessageCommand): Readonly<{ outcome: MessageCommand; again: Deferral | null }> => ({
  outcome: endPush(state, outcome),
  again: null,
})

const failure = (reason: 'undeliverable' | 'template_render_failed', detail: string | null = null): MessageCommand => ({
  type: 'RecordFailed',
  data: { reason, detail },
})

/** The link leads through this service, which counts the click. The same at every attempt. */
const messageOf = ({ links }: PushSending, { accepted: { meta, data } }: History) => {
  const { messageId, title, body, url, icon, kind } = data
  const of = { workspaceId: meta.workspaceId, messageId }
  const tracked = url === null ? null : links.clickUrl(url, of)
  return { ...of, notification: { title, body, url: tracked, icon }, urgency: kind === 'marketing' ? 'normal' : 'high' } as const
}

/** All that the contact has; later only those that have not answered for good. Forgets what another message found out, and was cut off. */
const browsersFor = async ({ log, commands }: PushSending, { accepted, state }: History, { browsers }: Recipient) => {
  const { workspaceId } = accepted.meta
  const { contactId } = accepted.data
  const asked = browsers.filter(({ endpointHash }) => state.waiting?.includes(endpointHash) ?? true)
  const { live, stale } = await liveBrowsers(log, { workspaceId, contactId }, asked)
  for (const one of stale) await forgetBrowser({ commands, accepted }, one)
  return live
}
