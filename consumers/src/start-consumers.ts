import { type ConsumerProgress, runDirectConsumer, type Transport } from '@tidings/bus'
import type { ContentStore, EventLog } from '@tidings/codec'
import type { CommandRunner, LogFollower } from '@tidings/commands'
import type { EmailContent } from '@tidings/domain'
import { admission, type Job, runLanes } from '@tidings/inbox'
import type { EmailProvider } from '@tidings/providers'
import type { Links } from '@tidings/tracking'
import type { Pool } from 'pg'
import { type Recipients, recipientsFromLog } from './directories/recipients.ts'
import { type Senders, sendersFromLog } from './directories/senders.ts'
import { noteOutcome } from './outcomes/note-outcome.ts'
import { EMAIL_OUTCOME, outcomeConsumer } from './outcomes/outcome-consumer.ts'
import { freshMail, noFreshMail } from './send/fresh-mail.ts'
import { holdSuspended } from './send/hold-suspended.ts'
import { RETRY_DELAYS_MS, UNCONFIRMED_MS } from './send/retries.ts'
import { SEND_EMAIL, sendConsumer } from './send/send-consumer.ts'
import { type Sending, sendEmail } from './send/send-email.ts'

/**
 * What the consumers stand on. `follower` must not have started yet: the gates listen through it; whoever made it starts and closes it.
 * `sending: false` admits mail and lets it wait. `unconfirmedMs`: after how long a mail that may have been taken is sent once more.
 * `concurrency`: emails at work at once. `leaseMs`: of a job, default 30 s. `transport`: how events come, by default from the log.
 */
export type ConsumersOptions = Readonly<{
  log: EventLog
  pool: Pool
  runner: CommandRunner
  follower: LogFollower
  provider: EmailProvider
  content: ContentStore<EmailContent>
  links: Links
  recipients?: Recipients
  senders?: Senders
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
    progress: () => Object.fromEntries(consumers.map((consumer) => [consumer.group, consumer.progress()])),
    stop: async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()))
      await Promise.all([send.stop(), outcomes.stop()])
    },
  }
}

/** As many as keep 20 SMTP sessions busy while others wait for the group commit of their outcome. */
const CONCURRENCY = 128

/** What a killed process had claimed waits this long: a crash may delay nothing by more than a minute, the start included (operator.md §1). */
const LEASE_MS = 30_000

function sendLanes(options: ConsumersOptions) {
  const { log, pool, follower, provider, content, links, onFault, onResult, retryDelaysMs = RETRY_DELAYS_MS, leaseMs = LEASE_MS } = options
  const fresh = freshMail()
  if (options.sending === false)
    return { consumer: sendConsumer({ fresh: noFreshMail, admit: admission(SEND_EMAIL) }), stop: async () => undefined }
  const senders = options.senders ?? sendersFromLog({ log, follower })
  const suspended = holdSuspended({
    pool,
    senders,
    follower,
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
    recipients: options.recipients ?? recipientsFromLog({ log, follower }),
    senders,
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
  return { consumer: sendConsumer({ fresh, admit: lanes.admit }), stop }
}
