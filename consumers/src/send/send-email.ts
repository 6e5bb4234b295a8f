import type { ContentStore, Recorded } from '@tidings/codec'
import type { EmailAccepted, EmailContent, MessageCommand } from '@tidings/domain'
import type { Deferral, Job, Lease, Verdict } from '@tidings/jobs'
import type { TemplateTexts } from '@tidings/log-views'
import type { Links } from '@tidings/mail-content'
import type { EmailProvider } from '@tidings/providers'
import type { Pool } from 'pg'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { type Attempt, type Beginning, beginAttempt } from './begin-attempt.ts'
import { buildMail, type MailContent } from './build-mail.ts'
import { contentEnded, EXPIRED } from './content-ended.ts'
import { endAttempt } from './end-attempt.ts'
import { addressedHistory, addressInDoubt } from './handed-to.ts'
import { historyOf, type MessageHistory } from './history.ts'
import { afterFailure, stillUnconfirmed } from './retries.ts'
import { type Calls, type OnResult, sendOnce } from './send-once.ts'
import { type EmailGates, emailGates } from './sending-checks.ts'

/** `unconfirmedMs`: after how long a mail that may have been taken is sent once more. `onResult` hears how each provider call ended, for metrics. */
export type Sending = Omit<Beginning, 'workspaces'> &
  EmailGates &
  Readonly<{ unconfirmedMs: number; onResult?: OnResult | undefined }> &
  Readonly<{
    pool: Pool
    provider: EmailProvider
    content: ContentStore<EmailContent>
    templates: TemplateTexts
    workspaces: Pick<WorkspaceView, 'senderStatus' | 'status' | 'tracks' | 'dkimKey' | 'marketing'>
    links: Links
    retryDelaysMs: readonly number[]
  }>

/**
 * Sends one queued email: still queued, recipient still there and not blocked, sender still verified, then one call to the provider, then
 * its outcome in the log. The log decides what is still to do, so a job that comes twice sends once; only a crash or a stall between the
 * provider's yes and the append sends again, and an answer that never came, once: under the same Message-ID.
 */
export async function sendEmail(sending: Sending, job: Job, lease: Lease, signal: AbortSignal): Promise<Verdict> {
  const attempt: Attempt = { job, lease, signal }
  const begun = await beginAttempt(sending, attempt)
  if (begun === 'done' || begun.type === 'Deferred') return begun
  const history = addressInDoubt(historyOf('EmailAccepted', begun.history))
  const outcome = await deliver(sending, history, attempt)
  if (outcome.type === 'Deferred') return outcome
  const ended = await endAttempt(sending.log, { history, outcome }, attempt)
  return typeof ended === 'string' ? 'done' : ended
}

async function deliver(sending: Sending, history: MessageHistory<EmailAccepted>, attempt: Attempt): Promise<Deferral | MessageCommand> {
  const { accepted } = history
  const { data } = accepted
  const waiting = stillUnconfirmed(history.unconfirmedAt, attempt.job.attempt, sending.unconfirmedMs)
  if (waiting !== null) return waiting
  if (accepted.erased) return { type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } }
  const said = data.content ?? data.contentId ?? data.merged ?? null
  // A campaign's message was accepted without content if it could not be rendered.
  const mayBeUnrendered = data.campaign !== undefined && data.templateDigest === undefined
  if (contentEnded(accepted, mayBeUnrendered ? undefined : said)) return EXPIRED
  if (said === null) return { type: 'RecordFailed', data: { reason: 'template_render_failed', detail: null } }
  const blocked = await emailGates.early(sending, accepted)
  if (blocked !== null) return blocked
  const addressed = await addressedHistory(sending, history)
  return 'state' in addressed ? await sendTo(sending, addressed, attempt) : addressed
}

async function sendTo(sending: Sending, history: MessageHistory<EmailAccepted>, attempt: Attempt): Promise<Deferral | MessageCommand> {
  const { provider, retryDelaysMs } = sending
  const { accepted } = history
  const to = history.state.to ?? accepted.data.to
  const content = accepted.data.content ?? (await contentBeside(sending, accepted))
  if (content === null) return EXPIRED
  const mail = { ...(await buildMail(sending, accepted, content)), to }
  const { log, unconfirmedMs, onResult } = sending
  const calls: Calls = { log, provider, unconfirmedMs, onResult, afterFailure: (error, n) => afterFailure(error, n, retryDelaysMs) }
  const gate = () => emailGates.atFence(sending, accepted, to)
  return await sendOnce(calls, history, { ...attempt, gate, call: (options) => provider.send(mail, options) })
}

/** Null where it can be read no more: its retention is over, or the person was erased. */
async function contentBeside({ content, templates }: Sending, { meta, data }: Recorded<EmailAccepted>): Promise<MailContent | null> {
  const { contentId, templateId, templateDigest, merged } = data
  const { workspaceId } = meta
  if (merged && templateId !== null && templateDigest !== undefined)
    return { merged, texts: await templates.find({ workspaceId, templateId, templateDigest }) }
  const stored = contentId === null ? null : await content.get(workspaceId, contentId)
  return stored === 'erased' ? null : stored
}
