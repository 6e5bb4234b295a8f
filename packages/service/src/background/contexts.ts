import { forgetActs } from '@tidings/administration'
import { runDirectConsumer, type Transport } from '@tidings/bus'
import type { KafkaSettings } from '@tidings/bus/kafka'
import { confirmationRetention } from '@tidings/command-api'
import { type Config, operatorAddress, publicUrl, unusable } from '@tidings/config'
import { createCampaignView, createRecipientView, createWorkspaceView, reportingLetters } from '@tidings/consumers'
import { openAnchor } from '@tidings/evidence/proof'
import { deleteExpiredIdempotency } from '@tidings/http'
import type { Log } from '@tidings/observability/log'
import { createRecordLookups } from '@tidings/outbound-http'
import { passcodeRetention } from '@tidings/passcodes'
import type { ReadSide } from '@tidings/projections'
import {
  createReturnPaths,
  createSendRate,
  type EmailProvider,
  emailProvider,
  type ReturnPaths,
  ratedEmailProvider,
  reserveTimesIn,
  type SmsProvider,
} from '@tidings/providers'
import { signInRetention } from '@tidings/sign-in'
import type { Pool } from 'pg'
import type { CommandSide } from '../command-side/command-side.ts'
import { createUrlGuard } from '../command-side/webhook-endpoints.ts'
import { erasingIn } from '../erasures/erasing-in.ts'
import { openPushProvider } from '../providers/push-provider.ts'
import { createOutageReports } from '../providers/report-outage.ts'
import { kafkaSettings } from '../stores/kafka-settings.ts'
import { detailDays, type Stores } from '../stores/open-stores.ts'

/** What a process has when its background starts. `sms`: null where it does not send. */
export type ContextServices = Readonly<{
  config: Config
  log: Log
  stores: Stores
  commandSide: CommandSide
  reads: ReadSide
  sms: SmsProvider | null
}>

/** What the relay is started with; `kafka` is null where consumers read the log. */
export type RelayContext = Readonly<{ store: Stores['store']; pool: Pool; kafka: KafkaSettings | null; logger: Log }>

export async function relayContext({ config, log, stores }: ContextServices): Promise<RelayContext> {
  return { store: stores.store, pool: stores.workPool, kafka: await kafkaSettings(config, log), logger: log }
}

/** What the consumers are started with: each takes of it what it names. */
export type ConsumerContext = Awaited<ReturnType<typeof consumerContext>>

/** Throws one sentence, without a secret, for a provider that cannot be used. */
export async function consumerContext(
  { config, log: logger, stores, commandSide, reads }: ContextServices,
  sms: SmsProvider,
  relay: RelayContext,
) {
  const { log, keyRing, masters, pool: requestPool, workPool: pool } = stores
  const { uniqueContacts, links, messages } = commandSide.dependencies
  const transport = await transportOf(relay.kafka, logger)
  const { email, returnPaths } = await openEmailProvider({ config, log: logger, stores })
  const push = await openPushProvider({ config, log: logger, pool }).catch(async (error: unknown) => {
    await email.close()
    throw error
  })
  return {
    ...relay,
    ...transport,
    ...{ log, keyRing, requestPool, canWork: masters.isInForce },
    ...{ commands: commandSide.commands, content: commandSide.contents, wallets: commandSide.wallets, links, reads },
    ...{ flows: commandSide.flows.view, flowEntry: commandSide.flows.entry },
    ...{ workspaces: createWorkspaceView(log), campaigns: createCampaignView(log), recipients: createRecipientView(log) },
    ...{ noteFacts: uniqueContacts.noteFacts, addressNow: uniqueContacts.addressNow },
    ...{ email, sms, push, retryDelaysMs: config.sending.retrySeconds.map((seconds) => seconds * 1_000) },
    ...{ operatorAddress: operatorAddress(config), publicUrl: publicUrl(config.http), takeMailbox: commandSide.mailboxes.take },
    ...{ lookups: createRecordLookups(config.dns.servers), blocklists: config.dns.blocklists },
    ...{ webhooks: config.webhooks, urlGuard: createUrlGuard(config) },
    ...{ mailboxUrl: config.email.bounceMailbox, mailCallMs: config.email.timeoutMs, returnPaths, lookup: messages },
    ...erasingIn(stores),
    rebuildThreads: stores.rebuildThreads,
    ...{ anchor: config.proof.anchor === null ? null : openAnchor(config.proof.anchor), lowCredits: config.credits.low },
    ...{ contentDays: config.retention.contentDays, detailDays: detailDays(config), otherTasks: tasksOfOthers(pool) },
    closeProviders: async () => void (await Promise.all([email.close(), push.close()])),
  }
}

/** How events reach the consumers. The client of Kafka is loaded only where Kafka is configured. */
const transportOf = async (kafka: KafkaSettings | null, logger: Log): Promise<Readonly<{ transport: Transport; fromLog: boolean }>> => {
  if (kafka === null) return { transport: reportingLetters(runDirectConsumer, logger), fromLog: true }
  const { kafkaTransport } = await import('@tidings/bus/kafka')
  return { transport: reportingLetters(kafkaTransport(kafka), logger), fromLog: false }
}

/** What other parts keep for a time. */
const tasksOfOthers = (pool: Pool) => [
  { name: 'remembered answers', batch: 1_000, run: (batch: number) => deleteExpiredIdempotency(pool, batch) },
  ...passcodeRetention(pool),
  ...signInRetention(pool),
  ...confirmationRetention(pool),
  { name: 'noted acts', batch: 1_000, run: (batch: number) => forgetActs(pool, batch) },
]

type Opening = Readonly<{ config: Config; log: Log; stores: Stores }>

/** `returnPaths`: the envelope senders of mail; null where it leaves from its own sender. Throws one sentence for an address that cannot be used. */
async function openEmailProvider({
  config,
  log,
  stores,
}: Opening): Promise<Readonly<{ email: EmailProvider; returnPaths: ReturnPaths | null }>> {
  const { returnPath: address, bounceMailbox, rate: perSecond } = config.email
  const { workPool: pool, masters } = stores
  const returnPaths = address === null ? null : createReturnPaths({ address, derive: masters.derivers })
  const reported = createOutageReports(log, 'email', config.email.provider)
  const provider = await emailProvider({
    ...config.email,
    publicUrl: publicUrl(config.http),
    pool,
    callMs: config.email.timeoutMs,
    ...(returnPaths && { returnPaths }),
    ...(returnPaths && bounceMailbox !== null && { unsubscribeAddresses: returnPaths }),
    each: (label) => ({ onOutage: reported(label) }),
  }).catch((error: unknown) => {
    throw unusable('TIDINGS_EMAIL_PROVIDER', error)
  })
  if (perSecond === null) return { email: provider, returnPaths }
  return { email: ratedEmailProvider(provider, createSendRate({ perSecond, reserve: reserveTimesIn(pool, 'email') })), returnPaths }
}
