import { type ConsumerProgress, runDirectConsumer, type Transport } from '@tidings/bus'
import { databaseNow } from '@tidings/clock'
import type { ContentStore, EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { createSenderNumberView } from '@tidings/directory'
import type { EmailContent } from '@tidings/domain'
import { createFlowView, type FlowView } from '@tidings/flows'
import { type Job, runLanes } from '@tidings/inbox'
import type { LogView } from '@tidings/log-views'
import type { EmailProvider, PushProvider, SmsProvider } from '@tidings/providers'
import type { Links } from '@tidings/tracking'
import { reconcileHolds, type Wallets } from '@tidings/wallet'
import type { Pool } from 'pg'
import type { NoteFacts } from './outcomes/holder-to-tell.ts'
import { startOutcomes } from './outcomes/start-outcomes.ts'
import type { AddressNow } from './send/given-up-address.ts'
import { QUIET_HOURS_RELEASE, quietHoursConsumer } from './send/quiet-hours-consumer.ts'
import { releaseQuiet } from './send/release-quiet.ts'
import { RETRY_DELAYS_MS, UNCONFIRMED_MS } from './send/retries.ts'
import { SEND_EMAIL, SEND_MARKETING_EMAIL, sendConsumer } from './send/send-consumer.ts'
import { sendEmail } from './send/send-email.ts'
import { type ChannelLanes, type RunningSendLanes, startSendLanes } from './send/send-lanes.ts'
import type { Calls } from './send/send-once.ts'
import { createPlaces } from './send-push/places.ts'
import { pushConsumer, SEND_MARKETING_PUSH, SEND_PUSH } from './send-push/push-consumer.ts'
import { sendPush } from './send-push/send-push.ts'
import { createPayments } from './send-sms/payments.ts'
import { sendSms } from './send-sms/send-sms.ts'
import { SEND_MARKETING_SMS, SEND_SMS, smsConsumer } from './send-sms/sms-consumer.ts'
import { type CampaignView, createCampaignView } from './views/campaign-view.ts'
import { createRecipientView, type RecipientView } from './views/recipient-view.ts'
import { createSenderIdView } from './views/sender-id-view.ts'
import { createWorkspaceView, type WorkspaceView } from './views/workspace-view.ts'

/**
 * `provider`: of email; `sms`: of text messages, which `wallets` pay; `push`: of web pushes. `sending: false` admits messages and lets them wait. `unconfirmedMs`: after
 * how long a message that may have been taken is sent once more. `concurrency`: messages of a channel at work at once. `leaseMs`: of a job,
 * default 30 s. `now`: of marketing's checks. `transport`: how events come, by default from the log.
 */
export type ConsumersOptions = Readonly<{
  log: EventLog
  pool: Pool
  runner: CommandRunner
  provider: EmailProvider
  sms: SmsProvider
  push: PushProvider
  wallets: Wallets
  /** Keeps what outcomes find out with their address (M45). */
  noteFacts?: NoteFacts
  /** What is known of an address that a message goes to and its contact has given up (M45). */
  addressNow?: AddressNow
  content: ContentStore<EmailContent>
  links: Links
  workspaces?: WorkspaceView
  campaigns?: CampaignView
  flows?: FlowView
  retryDelaysMs?: readonly number[]
  unconfirmedMs?: number
  concurrency?: number
  leaseMs?: number
  sending?: boolean
  now?: () => number
  transport?: Transport
  onFault?: (error: unknown, job: Job | null) => void
  onResult?: (channel: 'email' | 'sms' | 'push', ...result: Parameters<NonNullable<Calls['onResult']>>) => void
}>

export type RunningConsumers = Readonly<{
  /** The views that a follower updates; without a follower they read the log for each question. */
  views: readonly LogView[]
  /** The progress of each consumer group. */
  progress: () => Readonly<Record<string, ConsumerProgress>>
  /** Takes nothing new, finishes what was begun (at most 6 s), gives back the rest. The provider and the log stay open. */
  stop: () => Promise<void>
}>

/** Runs everything that follows from accepted messages: sending them, and what their outcomes mean for contacts. */
export function startConsumers(options: ConsumersOptions): RunningConsumers {
  const { log, pool, onFault, transport = runDirectConsumer } = options
  const fault = (error: unknown): void => onFault?.(error, null)
  const shared = {
    workspaces: options.workspaces ?? createWorkspaceView(log),
    campaigns: options.campaigns ?? createCampaignView(log),
    flows: options.flows ?? createFlowView(log),
    recipients: createRecipientView(log),
  }
  const lanes = [emailLanes(options, shared), smsLanes(options, shared), pushLanes(options, shared)]
  const outcomes = startOutcomes(options)
  const quiet = runLanes({
    pool,
    kind: QUIET_HOURS_RELEASE,
    concurrency: 1,
    work: (job, _, signal) => releaseQuiet(pool, job, signal),
    ...(onFault && { onFault }),
  })
  const sent = [...lanes.map(({ consumer }) => consumer), ...outcomes.consumers, quietHoursConsumer(quiet)]
  // The group reads from the start of the log: messages that were accepted before it existed must still leave, and the log says whether they did.
  const consumers = sent.map((consumer) => transport({ consumer, log, pool, startAt: 'start', onFault: fault }))
  return {
    views: options.sending === false ? [] : [...Object.values(shared), ...lanes.flatMap(({ views }) => views)],
    progress: () => Object.fromEntries(consumers.map((consumer) => [consumer.group, consumer.progress()])),
    stop: async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()))
      await Promise.all([...lanes, outcomes, quiet].map(({ stop }) => stop()))
    },
  }
}

type Shared = Readonly<{ workspaces: WorkspaceView; campaigns: CampaignView; flows: FlowView; recipients: RecipientView }>

/** What all channels do the same way. */
const sharedOf = (options: ConsumersOptions) => ({
  log: options.log,
  pool: options.pool,
  now: options.now ?? databaseNow,
  retryDelaysMs: options.retryDelaysMs ?? RETRY_DELAYS_MS,
  unconfirmedMs: options.unconfirmedMs ?? UNCONFIRMED_MS,
  addressNow: options.addressNow,
})

function emailLanes(options: ConsumersOptions, views: Shared): RunningSendLanes {
  const { provider, content, links, onResult } = options
  const sending = { ...sharedOf(options), provider, content, links, ...views, ...resultsOf('email', onResult) }
  const channel: ChannelLanes = {
    kind: SEND_EMAIL,
    marketingKind: SEND_MARKETING_EMAIL,
    provider,
    consumer: sendConsumer,
    views: [],
    work: (shared) => {
      const all = { ...sending, ...shared }
      return (job, lease, signal) => sendEmail(all, job, lease, signal)
    },
  }
  return startSendLanes(channel, { ...options, workspaces: views.workspaces })
}

function smsLanes(options: ConsumersOptions, views: Shared): RunningSendLanes {
  const { sms: provider, log, runner, wallets, onResult, onFault } = options
  const senderIds = createSenderIdView(log)
  const senderNumbers = createSenderNumberView(log)
  const payments = createPayments({
    wallets,
    reconcile: (workspaceId, messageIds) => reconcileHolds({ log, commands: runner, wallets, workspaceId }, messageIds),
    onFault: (error) => onFault?.(error, null),
  })
  const sending = { ...sharedOf(options), provider, payments, senderIds, senderNumbers, ...views, ...resultsOf('sms', onResult) }
  const channel: ChannelLanes = {
    kind: SEND_SMS,
    marketingKind: SEND_MARKETING_SMS,
    provider,
    consumer: smsConsumer,
    views: [senderIds, senderNumbers],
    work: (shared) => {
      const all = { ...sending, ...shared }
      return (job, lease, signal) => sendSms(all, job, lease, signal)
    },
  }
  return startSendLanes(channel, { ...options, workspaces: views.workspaces })
}

function pushLanes(options: ConsumersOptions, views: Shared): RunningSendLanes {
  const { push: provider, runner, links, onResult } = options
  const sending = { ...sharedOf(options), provider, runner, links, ...views, ...resultsOf('push', onResult) }
  const channel: ChannelLanes = {
    kind: SEND_PUSH,
    marketingKind: SEND_MARKETING_PUSH,
    provider,
    consumer: pushConsumer,
    views: [],
    work: ({ concurrency, ...shared }) => {
      const all = { ...sending, ...shared, places: createPlaces(concurrency) }
      return (job, lease, signal) => sendPush(all, job, lease, signal)
    },
  }
  return startSendLanes(channel, { ...options, workspaces: views.workspaces })
}

const resultsOf = (channel: 'email' | 'sms' | 'push', onResult: ConsumersOptions['onResult']): Pick<Calls, 'onResult'> =>
  onResult ? { onResult: (result, ms) => onResult(channel, result, ms) } : {}
