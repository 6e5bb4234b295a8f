import { randomUUID } from 'node:crypto'
import { type Repeating, repeat, type Wait } from '@tidings/async'
import { databaseNow } from '@tidings/async/clock'
import { runDirectConsumer, type Transport } from '@tidings/bus'
import type { ContentStore, EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { EmailContent } from '@tidings/domain'
import { CAMPAIGN_RELEASE, runLanes, SEND_KINDS, watchDue } from '@tidings/jobs'
import type { Links } from '@tidings/mail-content'
import type { Logger } from '@tidings/observability/log'
import { observe, sharedRead } from '@tidings/observability/metrics'
import { kyselyOn } from '@tidings/postgres'
import { createFirstHeads, type ReadSide } from '@tidings/projections'
import { campaignsUnderWay, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import { faultLines, type RunningConsumers } from '../running.ts'
import { releaseInPasses } from '../send/release-put-off.ts'
import type { CampaignView } from '../views/campaign-view.ts'
import type { RecipientView } from '../views/recipient-view.ts'
import { createSenderIdView } from '../views/sender-id-view.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { AFTER_FAULT_MS, advanceNext } from './advance-next.ts'
import { campaignConsumer } from './campaign-consumer.ts'
import type { CampaignWork } from './campaign-work.ts'
import { FIRST_DUE } from './run-table.ts'

/**
 * `requestPool`: for what is read at a scrape. `reads`: of the read models that audiences are taken from. `idleMs`: between two looks while campaigns
 * are sent, default 250 ms; else the planners look when a campaign is due. `transport`: how events come, by default from the log.
 */
export type CampaignsOptions = Readonly<{
  log: EventLog
  pool: Pool
  requestPool: Pool
  commands: CommandRunner
  content: ContentStore<EmailContent>
  links: Pick<Links, 'unsubscribeUrl'>
  reads: Pick<ReadSide, 'wait'>
  campaigns: CampaignView
  recipients: RecipientView
  workspaces: WorkspaceView
  logger: Logger
  pageOf?: number
  idleMs?: number
  transport?: Transport
  now?: () => number
}>

/** How many campaigns a process advances at once: another goes on while the audience of a large one is taken. */
const PLANNERS = 2
const IDLE_MS = 250
/** The longest pause between two looks, in pauses of `idleMs`: such a look finds a due campaign that nothing announced. */
const NET_IN_IDLE_MS = 120
/** The pause after the last campaign that was advanced or moved. */
const ACTIVE_MS = 5_000

/** Sends campaigns: begins them, takes their audience, hands it to the lanes as these have room, and sees when they are over. */
export function startCampaigns(options: CampaignsOptions): RunningConsumers {
  const { log, pool, campaigns, recipients, workspaces, transport = runDirectConsumer, now = databaseNow, idleMs = IDLE_MS } = options
  const onFault = faultLines(options.logger, 'a job failed')
  observeCampaigns(options.requestPool)
  const senderIds = createSenderIdView(log)
  const work: CampaignWork = { ...options, senderIds, heads: createFirstHeads(() => log.head()), now }
  const planners: Repeating[] = []
  const looks = createLooks(idleMs, () => {
    for (const { wake } of planners) wake()
  })
  const watch = watchDue(pool, { kind: 'campaigns', sql: FIRST_DUE, clock: now }, looks.found)
  const fault = (error: unknown): void => onFault(error, null, null)
  for (let n = 0; n < PLANNERS; n++) planners.push(plan(work, { looks, fault }))
  const releases = runLanes({
    pool,
    kind: CAMPAIGN_RELEASE,
    concurrency: 1,
    onFault,
    work: async ({ workspaceId, payload: campaignId, attempt }, _, signal) => {
      const waiting = [SEND_KINDS.sms.marketing, SEND_KINDS.email.marketing].flatMap((kind) =>
        (['campaign_paused', 'quiet_hours'] as const).map((deferredFor) => ({ kind, workspaceId, deferredFor, deferredBy: campaignId })),
      )
      return await releaseInPasses(pool, waiting, { attempt, signal })
    },
  })
  // The group reads from the start of the log: a campaign may have been scheduled before the group existed.
  const moving = campaignConsumer({ admitReleases: releases.admit, onMoved: looks.found })
  const consumer = transport({ consumer: moving, log, pool, startAt: 'start', onFault: fault })
  return {
    views: [campaigns, recipients, workspaces, senderIds],
    progress: () => ({ [consumer.group]: consumer.progress() }),
    stop: async () => {
      await Promise.all([consumer.stop(), releases.stop(), watch.stop(), ...planners.map(({ stop }) => stop())])
    },
  }
}

/** Campaigns that are being sent, and what of theirs waits. */
const observeCampaigns = (pool: Pool): void => {
  const underWay = sharedRead(() => campaignsUnderWay(kyselyOn<ReadModels>(pool)))
  observe({ name: 'tidings_campaigns_sending', help: 'Campaigns that are being sent', read: async () => (await underWay()).sending })
  observe({
    name: 'tidings_campaign_messages_queued',
    help: 'Messages of campaigns that wait to be sent',
    read: async () => (await underWay()).queued,
  })
}

/**
 * `found`: there is something to do. `foundLater`: there is in so many milliseconds. `isDue`: whether a planner is to look, which then counts as a look of
 * all.
 */
type Looks = Readonly<{ found: () => void; foundLater: (ms: number) => void; isDue: () => boolean; wait: () => Wait }>

const createLooks = (idleMs: number, wake: () => void): Looks => {
  const netMs = NET_IN_IDLE_MS * idleMs
  let foundAt = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  /** The first time at which something is known to be due; one that has passed is none. */
  let dueAt = Number.NEGATIVE_INFINITY
  const isActive = (): boolean => performance.now() - foundAt <= ACTIVE_MS
  return {
    found: () => {
      foundAt = performance.now()
      wake()
    },
    foundLater: (ms) => {
      const now = performance.now()
      dueAt = dueAt > now ? Math.min(dueAt, now + ms) : now + ms
    },
    isDue: () => {
      const now = performance.now()
      if (!isActive() && now - lookedAt < netMs) return false
      lookedAt = now
      return true
    },
    wait: () => {
      if (!isActive()) return { atLeastMs: 0, atMostMs: netMs }
      const ms = dueAt - performance.now()
      return ms > 0 ? Math.min(Math.ceil(ms) + 1, idleMs) : idleMs
    },
  }
}

type Planning = Readonly<{ looks: Looks; fault: (error: unknown) => void }>

/** One campaign after the other, one thing of each at a time. */
const plan = (work: CampaignWork, { looks, fault }: Planning): Repeating => {
  const owner = randomUUID()
  const faultUnlessStopped = (signal: AbortSignal) => (error: unknown) => {
    if (!signal.aborted) fault(error)
  }
  return repeat({
    ref: false,
    round: async (signal) => {
      const advancing = { owner, signal, onFault: faultUnlessStopped(signal), onLater: looks.foundLater }
      if (!looks.isDue() || !(await advanceNext(work, advancing))) return looks.wait()
      looks.found()
      return 0
    },
    afterFault: (error, signal) => {
      faultUnlessStopped(signal)(error)
      return AFTER_FAULT_MS
    },
  })
}
