import { type ConsumerProgress, runDirectConsumer, type Transport } from '@tidings/bus'
import type { ContentStore, EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { EmailContent } from '@tidings/domain'
import { admission, type Job, runLanes } from '@tidings/inbox'
import type { LogView } from '@tidings/log-views'
import type { EmailProvider } from '@tidings/providers'
import type { Links } from '@tidings/tracking'
import type { Pool } from 'pg'
import { noteOutcome } from './outcomes/note-outcome.ts'
import { EMAIL_OUTCOME, outcomeConsumer } from './outcomes/outcome-consumer.ts'
import { holdSuspended } from './send/hold-suspended.ts'
import { createRecentMail, noRecentMail } from './send/recent-mail.ts'
import { RETRY_DELAYS_MS, UNCONFIRMED_MS } from './send/retries.ts'
import { SEND_EMAIL, sendConsumer } from './send/send-consumer.ts'
import { type Sending, sendEmail } from './send/send-email.ts'
import { createRecipientView } from './views/recipient-view.ts'
import { createWorkspaceView, type WorkspaceView } from './views/workspace-view.ts'

/**
 * `sending: false` admits mail and lets it wait. `unconfirmedMs`: after how long a mail that may have been taken is sent once more.
 * `concurrency`: emails at work at once. `leaseMs`: of a job, default 30 s. `transport`: how events come, by default from the log.
 */
export type ConsumersOptions = Readonly<{
  log: EventLog
  pool: Pool
  runner: CommandRunner
  provider: EmailProvider
  content: ContentStore<EmailContent>
  links: Links
  workspaces?: WorkspaceView
  retryDelaysMs?: readonly number[]
  unconfirmedMs?: number
  concurrency?: number
  leaseMs?: number
  sending?: boolean
  transport?: Transport
  onFault?: (error: unknown, job: Job | null) => void
  onResult?: NonNullable<Sending['onResult']>
}>

export type RunningConsumers = Readonly<{
  /** To be followed; without a follower they read the log for each question. */
  views: readonly LogView[]
  /** Per consumer group. */
  progress: () => Readonly<Record<string, ConsumerProgress>>
  /** Takes nothing new, finishes what was begun (at most 8 s), gives back the rest. The provider and the log stay open. */
  stop: () => Promise<void>
}>

/** Runs everything that follows from accepted mail: sending it, and what its outcomes mean for contacts. */
export function startConsumers(options: ConsumersOptions): RunningConsumers {
  const { log, pool, runner, onFault, transport = runDirectConsumer } = options
  const fault = (error: unknown): void => onFault?.(error, null)
  const shared = { pool, ...(onFault ? { onFault } : {}) }
  const send = sendLanes(options)
  const outcomes = runLanes({
    ...shared,
    kind: EMAIL_OUTCOME,
    concurrency: 16,
    leaseMs: LEASE_MS,
    work: (job) => noteOutcome({ log, runner }, job),
  })
  // From the start of the log: mail that was accepted before the group existed is still to be sent, and whether it was, the log says.
  const consumers = [
    transport({ consumer: send.consumer, log, pool, startAt: 'start', onFault: fault }),
    transport({ consumer: outcomeConsumer(outcomes), log, pool, startAt: 'start', onFault: fault }),
  ]
  return {
    views: send.views,
    progress: () => Object.fromEntries(consumers.map((consumer) => [consumer.group, consumer.progress()])),
    stop: async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()))
      await Promise.all([send.stop(), outcomes.stop()])
    },
  }
}

/** As many as keep 20 SMTP sessions busy while others wait for the group commit of their outcome. */
const CONCURRENCY = 128

/** What a killed process had claimed waits this long: a crash may delay nothing by more than a minute, the start included (O1). */
const LEASE_MS = 30_000

function sendLanes(options: ConsumersOptions) {
  const { log, pool, provider, content, links, onFault, onResult, retryDelaysMs = RETRY_DELAYS_MS, leaseMs = LEASE_MS } = options
  const fresh = createRecentMail()
  if (options.sending === false)
    return { consumer: sendConsumer({ fresh: noRecentMail, admit: admission(SEND_EMAIL) }), views: [], stop: async () => undefined }
  const recipients = createRecipientView(log)
  const workspaces = options.workspaces ?? createWorkspaceView(log)
  const suspended = holdSuspended({
    pool,
    workspaces,
    onReleased: () => lanes.wake(),
    onFault: (error) => onFault?.(error, null),
  })
  const sending: Sending = {
    log,
    provider,
    content,
    links,
    fresh,
    retryDelaysMs,
    unconfirmedMs: options.unconfirmedMs ?? UNCONFIRMED_MS,
    recipients,
    workspaces,
    suspended,
    ...(onResult ? { onResult } : {}),
  }
  const lanes = runLanes({
    pool,
    kind: SEND_EMAIL,
    concurrency: options.concurrency ?? CONCURRENCY,
    leaseMs: Math.max(leaseMs, 3 * provider.callMs),
    work: (job, lease, signal) => sendEmail(sending, job, lease, signal),
    isPaused: () => provider.outage() !== null,
    onFault: (error, job) => {
      if (job === null) fresh.clear()
      onFault?.(error, job)
    },
  })
  const stop = async (): Promise<void> => {
    await Promise.all([lanes.stop(), suspended.stop()])
  }
  return { consumer: sendConsumer({ fresh, admit: lanes.admit }), views: [recipients, workspaces, suspended.view], stop }
}
