import type { RunningRelay } from '@tidings/bus/kafka'
import {
  type RunningConsumers,
  startAbandonedCarts,
  startBounces,
  startCampaigns,
  startDynamicLists,
  startErasures,
  startFlows,
  startLinkMails,
  startOutcomes,
  startProof,
  startRetention,
  startSenders,
  startSending,
  startWallets,
  startWebhooks,
} from '@tidings/consumers'
import { runProjectionJobs } from '@tidings/projections'
import { projectionNamed } from '@tidings/projectors'
import type { ConsumerContext, RelayContext } from './contexts.ts'

/** What runs of a part. `views` need a follower. */
export type RunningPart = Partial<RunningConsumers> & Readonly<{ stop: () => Promise<void>; relay?: RunningRelay }>

type Started = RunningPart | null | Promise<RunningPart | null>

/** `start` answers null where the settings leave it nothing to do. */
export type Part =
  | Readonly<{ role: 'consumers'; name: string; start: (context: ConsumerContext) => Started }>
  | Readonly<{ role: 'relay'; name: string; start: (context: RelayContext) => Started }>

/** The client of Kafka is loaded only where Kafka is configured. */
const startRelay = async ({ kafka, ...context }: RelayContext): Promise<RunningPart | null> => {
  if (kafka === null) return null
  const { startRelay: start } = await import('@tidings/consumers/relay')
  const relay = start({ ...context, kafka })
  return { relay, stop: relay.stop }
}

/** What operators ask for in the dashboard. */
const startProjectionJobs = ({ pool, log, rebuildThreads, logger }: ConsumerContext): RunningPart =>
  runProjectionJobs({
    ...{ pool, log, threads: rebuildThreads(), projectionNamed },
    onFault: (error, job) => logger.warn({ err: error, projection: job?.projection, act: job?.act }, 'a job of a projection failed'),
  })

/** What works in the background of a process, by the role that it belongs to. */
export const parts: readonly Part[] = [
  { role: 'consumers', name: 'sending', start: startSending },
  { role: 'consumers', name: 'outcomes', start: startOutcomes },
  { role: 'consumers', name: 'flows', start: startFlows },
  { role: 'consumers', name: 'campaigns', start: startCampaigns },
  { role: 'consumers', name: 'webhooks', start: startWebhooks },
  { role: 'consumers', name: 'abandoned carts', start: startAbandonedCarts },
  { role: 'consumers', name: 'dynamic lists', start: startDynamicLists },
  { role: 'consumers', name: 'erasures', start: startErasures },
  { role: 'consumers', name: 'senders', start: startSenders },
  { role: 'consumers', name: 'link mails', start: startLinkMails },
  { role: 'consumers', name: 'wallets', start: startWallets },
  { role: 'consumers', name: 'bounces', start: startBounces },
  { role: 'consumers', name: 'proof', start: startProof },
  { role: 'consumers', name: 'retention', start: startRetention },
  { role: 'consumers', name: 'projection jobs', start: startProjectionJobs },
  { role: 'relay', name: 'relay', start: startRelay },
]
