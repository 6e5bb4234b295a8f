import type { Transport } from '@tidings/bus'
import { forgetConfirmations } from '@tidings/command-api'
import { type Config, publicUrl } from '@tidings/config'
import {
  createWorkspaceView,
  type RetentionTask,
  type RunningConsumers,
  runRetention,
  startConsumers,
  startDynamicLists,
} from '@tidings/consumers'
import { deleteExpiredIdempotency } from '@tidings/http'
import { forgetDeadLetters } from '@tidings/inbox'
import type { Log } from '@tidings/log'
import { passcodeRetention } from '@tidings/passcodes'
import type { ReadSide } from '@tidings/projections'
import { emailProvider, type SmsProvider } from '@tidings/providers'
import { deleteOldParts } from '@tidings/receipts'
import type { CommandSide } from '../command-side/command-side.ts'
import { observeCatalogue } from '../metrics/activity-metrics.ts'
import { observeLists } from '../metrics/list-metrics.ts'
import { countProviderCall, observeConsumers } from '../metrics/metrics.ts'
import { createOutageReport } from '../providers/report-outage.ts'
import type { Stores } from '../stores/open-stores.ts'
import { kafkaSettings } from './kafka-settings.ts'
import { startFindingCarts } from './start-finding-carts.ts'
import { startWalletSweep } from './start-wallet-sweep.ts'
import { startWebhookDelivery } from './start-webhook-delivery.ts'

type Parts = Readonly<{ config: Config; log: Log; stores: Stores; commandSide: CommandSide; sms: SmsProvider; reads: ReadSide }>

const DEAD_LETTER_DAYS = 30

const retentionTasks = ({ config, stores: { workPool }, commandSide }: Parts): readonly RetentionTask[] => [
  {
    name: 'message content',
    batch: 1,
    run: async () => {
      await commandSide.contents.deleteOlderThan(config.retention.contentDays)
      return 0
    },
  },
  { name: 'parts of text messages', batch: 1_000, run: (batch) => deleteOldParts(workPool, batch) },
  { name: 'remembered answers', batch: 1_000, run: (batch) => deleteExpiredIdempotency(workPool, batch) },
  ...passcodeRetention(workPool),
  { name: 'counts of form confirmations', batch: 1_000, run: (batch) => forgetConfirmations(workPool, batch) },
  { name: 'settled dead letters', batch: 1_000, run: (batch) => forgetDeadLetters(workPool, DEAD_LETTER_DAYS, batch) },
]

/** How events reach the consumers. The client of Kafka is loaded only where Kafka is configured. */
const transportOf = async (config: Config, log: Log): Promise<Readonly<{ transport?: Transport }>> => {
  const kafka = await kafkaSettings(config, log)
  if (kafka === null) return {}
  const { runKafkaConsumer } = await import('@tidings/bus/kafka')
  return { transport: (options) => runKafkaConsumer({ ...options, kafka }) }
}

/** Sends accepted messages, delivers webhooks, deletes what is past its retention. `views` need a follower. */
export async function startConsuming(parts: Parts): Promise<RunningConsumers> {
  const { config, log, stores, commandSide, sms } = parts
  const provider = await emailProvider({
    provider: config.email.provider,
    publicUrl: publicUrl(config.http),
    pool: stores.workPool,
    connections: config.email.connections,
    callMs: config.email.timeoutMs,
    onOutage: createOutageReport(log, 'email'),
  })
  const transport = await transportOf(config, log)
  const workspaces = createWorkspaceView(stores.log)
  const webhooks = startWebhookDelivery({ config, log, stores, workspaces, ...transport })
  const carts = startFindingCarts({ log, stores, commandSide, workspaces, ...transport })
  const consumers = startConsumers({
    log: stores.log,
    pool: stores.workPool,
    runner: commandSide.commands,
    workspaces,
    provider,
    sms,
    wallets: commandSide.wallets,
    content: commandSide.contents,
    links: commandSide.dependencies.links,
    ...transport,
    retryDelaysMs: config.sending.retrySeconds.map((seconds) => seconds * 1_000),
    onResult: countProviderCall,
    onFault: (error, job) => log.error({ err: error, ...(job && { seq: String(job.seq), attempt: job.attempt }) }, 'a job failed'),
  })
  const sweep = startWalletSweep(parts)
  const dynamicLists = startDynamicLists({
    log: stores.log,
    pool: stores.workPool,
    runner: commandSide.commands,
    reads: parts.reads,
    ...transport,
    onFault: (error) =>
      log.error({ err: error }, 'members of dynamic lists could not be brought up to date for a moment; it is tried again'),
  })
  const retention = runRetention({
    tasks: retentionTasks(parts),
    onFault: (error, task) => log.warn({ err: error, task }, 'a retention task failed; it is tried again'),
  })
  const progress: RunningConsumers['progress'] = () => ({
    ...consumers.progress(),
    ...webhooks.progress(),
    ...carts.progress(),
    ...dynamicLists.progress(),
  })
  observeConsumers(stores.pool, progress)
  observeCatalogue(stores.pool)
  observeLists(stores.pool)
  return {
    views: [...consumers.views, ...webhooks.views],
    progress,
    stop: async () => {
      await Promise.all([retention.stop(), sweep.stop(), consumers.stop(), webhooks.stop(), carts.stop(), dynamicLists.stop()])
      await provider.close()
    },
  }
}
