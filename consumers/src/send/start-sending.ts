import { databaseNow } from '@tidings/async/clock'
import { runDirectConsumer, type Transport } from '@tidings/bus'
import type { ContentStore, EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { createSenderNumberView } from '@tidings/directory'
import type { EmailContent } from '@tidings/domain'
import { type OnJobFault, QUIET_HOURS_RELEASE, runLanes, type SendChannel } from '@tidings/jobs'
import { createTemplateTexts } from '@tidings/log-views'
import type { Links } from '@tidings/mail-content'
import type { Logger } from '@tidings/observability/log'
import { countProviderCall, type EmailProvider, type PushProvider, type SmsProvider } from '@tidings/providers'
import { reconcileHolds, type Wallets } from '@tidings/wallet'
import type { Pool } from 'pg'
import type { FlowView } from '../flows/flow-view.ts'
import { faultLines, type RunningConsumers } from '../running.ts'
import { sendPush } from '../send-push/send-push.ts'
import { createSlots } from '../send-push/slots.ts'
import { createPayments } from '../send-sms/payments.ts'
import { sendSms } from '../send-sms/send-sms.ts'
import type { CampaignView } from '../views/campaign-view.ts'
import type { RecipientView } from '../views/recipient-view.ts'
import { createSenderIdView } from '../views/sender-id-view.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import type { AddressNow } from './given-up-address.ts'
import { quietHoursConsumer, releaseQuiet } from './quiet-hours.ts'
import { RETRY_DELAYS_MS, UNCONFIRMED_MS } from './retries.ts'
import { sendEmail } from './send-email.ts'
import { type ChannelLanes, type RunningSendLanes, startSendLanes } from './send-lanes.ts'

/**
 * `email`, `sms`, `push`: the providers; `wallets` pay for text messages. `unconfirmedMs`: after how long a message that may have been taken is sent
 * once more. `concurrency`: messages of a channel at work at once. `leaseMs`: of a job, default 30 s. `now`: of marketing's checks.
 * `transport`: how events come, by default from the log.
 */
export type SendingOptions = Readonly<{
  log: EventLog
  pool: Pool
  commands: CommandRunner
  email: EmailProvider
  sms: SmsProvider
  push: PushProvider
  wallets: Wallets
  content: ContentStore<EmailContent>
  links: Links
  workspaces: WorkspaceView
  campaigns: CampaignView
  flows: FlowView
  recipients: RecipientView
  logger: Logger
  /** What is known of an address that a message goes to and its contact has given up (M45). */
  addressNow?: AddressNow
  retryDelaysMs?: readonly number[]
  unconfirmedMs?: number
  concurrency?: number
  leaseMs?: number
  now?: () => number
  transport?: Transport
}>

/** Sends accepted messages. */
export function startSending(options: SendingOptions): RunningConsumers {
  const { log, pool, workspaces, campaigns, flows, recipients, transport = runDirectConsumer } = options
  const onFault = faultLines(options.logger, 'a job failed')
  const fault = (error: unknown): void => onFault(error, null, null)
  const shared = { workspaces, campaigns, flows, recipients }
  const reporting = { ...options, onFault }
  const lanes = [emailLanes(reporting, shared), smsLanes(reporting, shared), pushLanes(reporting, shared)]
  const quiet = runLanes({
    pool,
    kind: QUIET_HOURS_RELEASE,
    concurrency: 1,
    work: (job, _, signal) => releaseQuiet(pool, job, signal),
    onFault,
  })
  const sent = [...lanes.map(({ consumer }) => consumer), quietHoursConsumer(quiet)]
  // The group reads from the start of the log: messages that were accepted before it existed must still leave, and the log says whether they did.
  const consumers = sent.map((consumer) => transport({ consumer, log, pool, startAt: 'start', onFault: fault }))
  return {
    views: [...Object.values(shared), ...lanes.flatMap(({ views }) => views)],
    progress: () => Object.fromEntries(consumers.map((consumer) => [consumer.group, consumer.progress()])),
    stop: async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()))
      await Promise.all([...lanes, quiet].map(({ stop }) => stop()))
    },
  }
}

type Reporting = SendingOptions & Readonly<{ onFault: OnJobFault }>

type Shared = Readonly<{ workspaces: WorkspaceView; campaigns: CampaignView; flows: FlowView; recipients: RecipientView }>

/** What all channels do the same way. */
const sharedOf = (options: SendingOptions) => ({
  log: options.log,
  pool: options.pool,
  now: options.now ?? databaseNow,
  retryDelaysMs: options.retryDelaysMs ?? RETRY_DELAYS_MS,
  unconfirmedMs: options.unconfirmedMs ?? UNCONFIRMED_MS,
  addressNow: options.addressNow,
})

function emailLanes(options: Reporting, views: Shared): RunningSendLanes {
  const { email: provider, content, links } = options
  const templates = createTemplateTexts(options.log)
  const sending = { ...sharedOf(options), provider, content, templates, links, ...views, onResult: countsOf('email') }
  const channel: ChannelLanes = {
    channel: 'email',
    provider,
    views: [],
    work: (shared) => {
      const all = { ...sending, ...shared }
      return (job, lease, signal) => sendEmail(all, job, lease, signal)
    },
  }
  return startSendLanes(channel, { ...options, workspaces: views.workspaces })
}

function smsLanes(options: Reporting, views: Shared): RunningSendLanes {
  const { sms: provider, log, commands, wallets, onFault } = options
  const senderIds = createSenderIdView(log)
  const senderNumbers = createSenderNumberView(log)
  const payments = createPayments({
    wallets,
    reconcile: (workspaceId, messageIds) => reconcileHolds({ log, commands, wallets, workspaceId }, messageIds),
    onFault: (error) => onFault(error, null, null),
  })
  const sending = { ...sharedOf(options), provider, payments, senderIds, senderNumbers, ...views, onResult: countsOf('sms') }
  const channel: ChannelLanes = {
    channel: 'sms',
    provider,
    views: [senderIds, senderNumbers],
    work: (shared) => {
      const all = { ...sending, ...shared }
      return (job, lease, signal) => sendSms(all, job, lease, signal)
    },
  }
  return startSendLanes(channel, { ...options, workspaces: views.workspaces })
}

function pushLanes(options: Reporting, views: Shared): RunningSendLanes {
  const { push: provider, commands, links } = options
  const sending = { ...sharedOf(options), provider, commands, links, ...views, onResult: countsOf('push') }
  const channel: ChannelLanes = {
    channel: 'push',
    provider,
    views: [],
    work: ({ concurrency, ...shared }) => {
      const all = { ...sending, ...shared, slots: createSlots(concurrency) }
      return (job, lease, signal) => sendPush(all, job, lease, signal)
    },
  }
  return startSendLanes(channel, { ...options, workspaces: views.workspaces })
}

const countsOf = (channel: SendChannel) => (result: string, ms: number, provider: string) =>
  countProviderCall({ channel, provider }, result, ms)
