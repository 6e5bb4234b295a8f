import { randomUUID } from 'node:crypto'
import { pause } from '@tidings/async'
import { runDirectConsumer, type Transport } from '@tidings/bus'
import { databaseNow } from '@tidings/clock'
import { type Job, runLanes, watchDue } from '@tidings/inbox'
import { createFirstHeads } from '@tidings/projections'
import { releaseInPasses } from '../send/release-put-off.ts'
import { SEND_MARKETING_EMAIL } from '../send/send-consumer.ts'
import { SEND_MARKETING_SMS } from '../send-sms/sms-consumer.ts'
import type { RunningConsumers } from '../start-consumers.ts'
import type { CampaignView } from '../views/campaign-view.ts'
import { createSenderIdView } from '../views/sender-id-view.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { AFTER_FAULT_MS, advanceNext } from './advance-next.ts'
import { CAMPAIGN_RELEASE, campaignConsumer } from './campaign-consumer.ts'
import { heldReason, quietReason } from './campaign-holds.ts'
import type { CampaignWork } from './campaign-work.ts'
import { FIRST_DUE } from './run-table.ts'

/** `idleMs`: between two looks while campaigns are sent, default 250 ms; else the planners look when a campaign is due. `transport`: how events come, by default from the log. */
export type CampaignsOptions = Readonly<
  Omit<CampaignWork, 'campaigns' | 'workspaces' | 'senderIds' | 'heads' | 'now'> & {
    campaigns: CampaignView
    workspaces: WorkspaceView
    idleMs?: number
    transport?: Transport
    now?: () => number
    onFault?: (error: unknown, job: Job | null) => void
  }
>

/** Campaigns of a process at once: so the audience of a large one keeps back no other. */
const PLANNERS = 2
const IDLE_MS = 250
/** The net below what says that a campaign is due. */
const NET_IN_IDLE_MS = 120
/** The pause after the last campaign that was advanced or moved. */
const ACTIVE_MS = 5_000

/** Sends campaigns: begins them, takes their audience, hands it to the lanes as these have room, and sees when they are over. */
export function startCampaigns(options: CampaignsOptions): RunningConsumers {
  const { log, pool, campaigns, workspaces, onFault, transport = runDirectConsumer, now = databaseNow, idleMs = IDLE_MS } = options
  const senderIds = createSenderIdView(log)
  const work: CampaignWork = { ...options, senderIds, heads: createFirstHeads(() => log.head()), now }
  const stopping = new AbortController()
  const looks = createLooks(idleMs)
  const watch = watchDue(pool, { kind: 'campaigns', sql: FIRST_DUE, clock: now }, looks.found)
  const fault = (error: unknown): void => onFault?.(error, null)
  const planners = Array.from({ length: PLANNERS }, () => plan(work, { looks, fault, signal: stopping.signal }))
  const releases = runLanes({
    pool,
    kind: CAMPAIGN_RELEASE,
    concurrency: 1,
    ...(onFault && { onFault }),
    work: async ({ workspaceId, payload: campaignId, attempt }, _, signal) => {
      const reasons = [heldReason(campaignId), quietReason(campaignId)]
      const waiting = [SEND_MARKETING_SMS, SEND_MARKETING_EMAIL].map((kind) => ({ kind, workspaceId, reasons }))
      return await releaseInPasses(pool, waiting, { attempt, signal })
    },
  })
  // The group reads from the start of the log: a campaign may have been scheduled before the group existed.
  const moving = campaignConsumer({ admitReleases: releases.admit, onMoved: looks.found })
  const consumer = transport({ consumer: moving, log, pool, startAt: 'start', onFault: fault })
  return {
    views: [campaigns, workspaces, senderIds],
    progress: () => ({ [consumer.group]: consumer.progress() }),
    stop: async () => {
      stopping.abort()
      await Promise.all([consumer.stop(), releases.stop(), watch.stop(), ...planners])
    },
  }
}

/** `found`: there is something to do. `isDue`: whether a planner is to look, which then counts as a look of all. `next`: waits for the moment to ask. */
type Looks = Readonly<{ found: () => void; isDue: () => boolean; next: (signal: AbortSignal) => Promise<void> }>

const createLooks = (idleMs: number): Looks => {
  const netMs = NET_IN_IDLE_MS * idleMs
  let foundAt = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  let quiet = new AbortController()
  const isActive = (): boolean => performance.now() - foundAt <= ACTIVE_MS
  return {
    found: () => {
      foundAt = performance.now()
      quiet.abort()
      quiet = new AbortController()
    },
    isDue: () => {
      const now = performance.now()
      if (!isActive() && now - lookedAt < netMs) return false
      lookedAt = now
      return true
    },
    next: (signal) =>
      isActive() ? pause(idleMs, signal, { ref: false }) : pause(netMs, AbortSignal.any([signal, quiet.signal]), { ref: false }),
  }
}

type Planning = Readonly<{ looks: Looks; fault: (error: unknown) => void; signal: AbortSignal }>

/** One campaign after the other, one thing of each at a time. */
const plan = async (work: CampaignWork, { looks, fault, signal }: Planning): Promise<void> => {
  const owner = randomUUID()
  const faultUnlessStopped = (error: unknown): void => {
    if (!signal.aborted) fault(error)
  }
  while (!signal.aborted) {
    try {
      if (looks.isDue() && (await advanceNext(work, { owner, signal, onFault: faultUnlessStopped }))) looks.found()
      else await looks.next(signal)
    } catch (error) {
      faultUnlessStopped(error)
      await pause(AFTER_FAULT_MS, signal, { ref: false })
    }
  }
}
