import type { Transport } from '@tidings/bus'
import { type Config, publicUrl } from '@tidings/config'
import { createCampaignView, createWorkspaceView, type RunningConsumers, runRetention, startConsumers } from '@tidings/consumers'
import type { Job } from '@tidings/inbox'
import type { Log } from '@tidings/log'
import type { ReadSide } from '@tidings/projections'
import { createSendRate, type EmailProvider, emailProvider, ratedEmailProvider, reserveTimesIn, type SmsProvider } from '@tidings/providers'
import type { CommandSide } from '../command-side/command-side.ts'
import { observeCatalogue } from '../metrics/activity-metrics.ts'
import { observeConsumers } from '../metrics/metrics.ts'
import { countProviderCall } from '../metrics/provider-metrics.ts'
import { countDeleted, observeDetails } from '../metrics/retention-metrics.ts'
import { openPushProvider } from '../providers/push-provider.ts'
import { createOutageReport } from '../providers/report-outage.ts'
import { detailDays } from '../retention/detail-days.ts'
import type { Stores } from '../stores/open-stores.ts'
import { kafkaSettings } from './kafka-settings.ts'
import { endingTasks, retentionTasks } from './retention-tasks.ts'
import { returnPathsOf, startBounces } from './start-bounces.ts'
import { startCampaignRuns } from './start-campaign-runs.ts'
import { startConfirmingSenders } from './start-confirming-senders.ts'
import { startErasing } from './start-erasing.ts'
import { startFindingCarts } from './start-finding-carts.ts'
import { startFlowRuns } from './start-flow-runs.ts'
import { startFollowingLists } from './start-following-lists.ts'
import { startProving } from './start-proving.ts'
import { startWalletSweep } from './start-wallet-sweep.ts'
import { startWebhookDelivery } from './start-webhook-delivery.ts'

type Parts = Readonly<{ config: Config; log: Log; stores: Stores; commandSide: CommandSide; sms: SmsProvider; reads: ReadSide }>

/** How events reach the consumers. The client of Kafka is loaded only where Kafka is configured. */
const transportOf = async (config: Config, log: Log): Promise<Readonly<{ transport?: Transport }>> => {
  const kafka = await kafkaSettings(config, log)
  if (kafka === null) return {}
  const { kafkaTransport } = await import('@tidings/bus/kafka')
  return { transport: kafkaTransport(kafka) }
}

/** Sends accepted messages, walks contacts through flows, sends campaigns, delivers webhooks, proves the log, deletes what is past its retention. `views` need a follower. */
export async function startConsuming(parts: Parts): Promise<RunningConsumers> {
  const { config, log, stores, commandSide } = parts
  const email = await createEmailProvider(parts)
  const push = await openPushProvider({ config, log, pool: stores.workPool })
  const transport = await transportOf(config, log)
  const workspaces = createWorkspaceView(stores.log)
  const campaigns = createCampaignView(stores.log)
  const onFault = (error: unknown, job: Job | null): void =>
    log.error({ err: error, ...(job && { seq: String(job.seq), attempt: job.attempt }) }, 'a job failed')
  const shared = { ...parts, workspaces, campaigns, ...transport }
  const sending = startConsumers({
    log: stores.log,
    pool: stores.workPool,
    runner: commandSide.commands,
    workspaces,
    campaigns,
    flows: commandSide.flows.view,
    provider: email,
    sms: parts.sms,
    push,
    wallets: commandSide.wallets,
    noteFacts: commandSide.dependencies.uniqueContacts.noteFacts,
    addressNow: commandSide.dependencies.uniqueContacts.addressNow,
    content: commandSide.contents,
    links: commandSide.dependencies.links,
    ...transport,
    retryDelaysMs: config.sending.retrySeconds.map((seconds) => seconds * 1_000),
    onResult: countProviderCall,
    onFault,
  })
  const flows = startFlowRuns({ ...shared, onFault })
  const sendingCampaigns = startCampaignRuns({ ...shared, onFault })
  const webhooks = startWebhookDelivery(shared)
  const carts = startFindingCarts(shared)
  const groups = [
    sending,
    flows,
    sendingCampaigns,
    webhooks,
    carts,
    startFollowingLists(shared),
    startErasing(shared),
    startConfirmingSenders({ ...shared, email }),
  ]
  const sweep = startWalletSweep(parts)
  const bounces = startBounces(parts)
  const proving = startProving(parts)
  const retention = [retentionTasks(parts), endingTasks(parts)].map((tasks) =>
    runRetention({
      tasks,
      onDeleted: countDeleted,
      onFault: (error, task) => log.warn({ err: error, task }, 'a retention task failed; it is tried again'),
    }),
  )
  const progress: RunningConsumers['progress'] = () => Object.assign({}, ...groups.map((group) => group.progress()))
  observeConsumers(stores.pool, progress)
  observeCatalogue(stores.pool)
  observeDetails(stores.pool, detailDays(config))
  return {
    views: [sending, flows, sendingCampaigns, webhooks, carts].flatMap(({ views }) => views),
    progress,
    stop: async () => {
      await Promise.all([...groups, sweep, bounces, proving, ...retention].map(({ stop }) => stop()))
      await Promise.all([email.close(), push.close()])
    },
  }
}

const createEmailProvider = async ({ config, log, stores }: Parts): Promise<EmailProvider> => {
  const returnPaths = returnPathsOf(config, stores)
  const perSecond = config.email.rate
  const provider = await emailProvider({
    provider: config.email.provider,
    publicUrl: publicUrl(config.http),
    pool: stores.workPool,
    connections: config.email.connections,
    callMs: config.email.timeoutMs,
    ...(returnPaths && { returnPaths }),
    ...(returnPaths && config.email.bounceMailbox !== null && { unsubscribeAddresses: returnPaths }),
    onOutage: createOutageReport(log, 'email'),
  })
  if (perSecond === null) return provider
  return ratedEmailProvider(provider, createSendRate({ perSecond, reserve: reserveTimesIn(stores.workPool, 'email') }))
}
