import { randomUUID } from 'node:crypto'
import { pause } from '@tidings/async'
import { runDirectConsumer, type Transport } from '@tidings/bus'
import { type Job, runLanes } from '@tidings/inbox'
import { releaseTwice } from '../send/release-put-off.ts'
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

/** `idleMs`: between two looks where nothing is due, default 250 ms. `transport`: how events come, by default from the log. */
export type CampaignsOptions = Readonly<
  Omit<CampaignWork, 'campaigns' | 'workspaces' | 'senderIds' | 'now'> & {
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

/** Sends campaigns: begins them, takes their audience, hands it to the lanes as these have room, and sees when they are over. */
export function startCampaigns(options: CampaignsOptions): RunningConsumers {
  const { log, pool, campaigns, workspaces, onFault, transport = runDirectConsumer, now = Date.now, idleMs = IDLE_MS } = options
  const senderIds = createSenderIdView(log)
  const work: CampaignWork = { ...options, senderIds, now }
  const stopping = new AbortController()
  const fault = (error: unknown): void => onFault?.(error, null)
  const planners = Array.from({ length: PLANNERS }, () => plan(work, { idleMs, fault, signal: stopping.signal }))
  const releases = runLanes({
    pool,
    kind: CAMPAIGN_RELEASE,
    concurrency: 1,
    ...(onFault && { onFault }),
    work: async ({ workspaceId, payload: campaignId, attempt }, _, signal) => {
      const reasons = [heldReason(campaignId), quietReason(campaignId)]
      await releaseTwice(pool, { kind: SEND_MARKETING_SMS, workspaceId, reasons }, { attempt, signal })
      return await releaseTwice(pool, { kind: SEND_MARKETING_EMAIL, workspaceId, reasons }, { attempt, signal })
    },
  })
  // From the start of the log: a campaign may have been scheduled before the group existed.
  const consumer = transport({ consumer: campaignConsumer({ admitReleases: releases.admit }), log, pool, startAt: 'start', onFault: fault })
  return {
    views: [campaigns, workspaces, senderIds],
    progress: () => ({ [consumer.group]: consumer.progress() }),
    stop: async () => {
      stopping.abort()
      await Promise.all([consumer.stop(), releases.stop(), ...planners])
    },
  }
}

type Planning = Readonly<{ idleMs: number; fault: (error: unknown) => void; signal: AbortSignal }>

/** One campaign after the other, one thing of each at a time. */
const plan = async (work: CampaignWork, { idleMs, fault, signal }: Planning): Promise<void> => {
  const owner = randomUUID()
  const faultUnlessStopped = (error: unknown): void => {
    if (!signal.aborted) fault(error)
  }
  while (!signal.aborted) {
    try {
      if (!(await advanceNext(work, { owner, signal, onFault: faultUnlessStopped }))) await pause(idleMs, signal, { ref: false })
    } catch (error) {
      faultUnlessStopped(error)
      await pause(AFTER_FAULT_MS, signal, { ref: false })
    }
  }
}
