import { type MaybePromise, whenKnown } from '@tidings/async'
import type { Recorded } from '@tidings/codec'
import {
  type CampaignId,
  type CampaignStatus,
  type FlowId,
  type FrequencyCap,
  type MarketingRules,
  type MessageChannel,
  type MessageCommand,
  marketingRefusal,
  quietUntil,
  type WorkspaceId,
} from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import type { Pool } from 'pg'
import { flowOf } from '../flows/flow-actor.ts'
import type { Flow } from '../flows/flow-view.ts'
import type { CampaignNow } from '../views/campaign-view.ts'
import type { Recipient } from '../views/recipient-view.ts'
import type { Block } from './call-provider.ts'
import { hasMoved } from './handed-to.ts'
import type { Accepted } from './history.ts'
import { type CountedMessage, countWithinCap, isWithinCap } from './marketing-count.ts'

/** What marketing messages are judged by. `now`: ms since 1970. */
export type Judge = Readonly<{
  pool: Pool
  workspaces: Readonly<{ marketing: (workspaceId: WorkspaceId) => MarketingRules | Promise<MarketingRules> }>
  campaigns: Readonly<{ find: (workspaceId: WorkspaceId, campaignId: CampaignId) => CampaignNow | Promise<CampaignNow> }>
  flows: Readonly<{ find: (workspaceId: WorkspaceId, flowId: FlowId) => Flow | undefined | Promise<Flow | undefined> }>
  now: () => number
}>

export const LATE_MS = 24 * 3_600_000
/** Messages of a paused campaign or flow are put off for so long; a resume makes them due. */
const PAUSED_MS = LATE_MS

/** A message whose turn it is. */
export type Judged = Readonly<{ accepted: Recorded<Accepted>; recipient: Recipient }>

/** `block`: what keeps it back before its cap is asked, in the order of D12; `quiet`: what quiet hours make of it. */
type Look = Readonly<{ block: Block | null; quiet: Block | null }>
const OPEN: Look = { block: null, quiet: null }

/**
 * What keeps an accepted message from being sent now because it is marketing, or of a campaign or a flow that is not being sent; null where
 * nothing does: then it is counted for the cap. In quiet hours it waits as `queued`, and is judged again when they end.
 */
export async function marketingBlock(judge: Judge, judged: Judged): Promise<Block | null> {
  const { meta, data } = judged.accepted
  if (data.kind === 'transactional') return null
  const { block, quiet } = await lookAt(judge, judged)
  if (block !== null) return block
  const { frequencyCap } = await judge.workspaces.marketing(meta.workspaceId)
  const { contactId, messageId, channel } = data
  const message = { workspaceId: meta.workspaceId, contactId, messageId, channel }
  return (await capBlock(judge.pool, message, { frequencyCap, counts: quiet === null })) ?? quiet
}

/** The same at the hand-over: of a message that passed its cap. */
export function marketingGate(judge: Omit<Judge, 'pool'>, judged: Judged): MaybePromise<Block | null> {
  return whenKnown(lookAt(judge, judged), ({ block, quiet }) => block ?? quiet)
}

const lookAt = (judge: Omit<Judge, 'pool'>, judged: Judged): MaybePromise<Look> => {
  const { meta, data } = judged.accepted
  if (data.kind === 'transactional') return OPEN
  const flowId = flowOf(meta.actor)
  const { campaign } = data
  return whenKnown(campaign ? judge.campaigns.find(meta.workspaceId, campaign.campaignId) : null, (campaignNow) =>
    whenKnown(flowId === null ? undefined : judge.flows.find(meta.workspaceId, flowId), (flow) =>
      whenKnown(judge.workspaces.marketing(meta.workspaceId), (rules) =>
        judgeMarketing({ judged, campaignNow, flow, rules, now: judge.now() }),
      ),
    ),
  )
}

type KnownRecipient = Readonly<{
  judged: Judged
  campaignNow: CampaignNow | null
  flow: Readonly<{ flowId: FlowId; paused: boolean }> | undefined
  rules: MarketingRules
  now: number
}>

/** A campaign that goes on no more; an address that was given up (M45); suppression for any reason, consent, lateness (M38); a pause; quiet hours. */
const judgeMarketing = (known: KnownRecipient): Look => {
  const { judged, campaignNow, rules, now } = known
  const { meta, data } = judged.accepted
  if (isOver(campaignNow?.status)) return { ...OPEN, block: { type: 'RecordSkipped', data: { reason: 'campaign_cancelled' } } }
  if ('to' in data && hasMoved(data, judged.recipient))
    return { ...OPEN, block: { type: 'RecordSkipped', data: { reason: 'address_changed' } } }
  const timing = { rules, recipient: judged.recipient }
  const refused = refusedBy(judged) ?? (flowOf(meta.actor) === null ? null : lateBy(timing, Date.parse(meta.at), now))
  const block = refused ?? pausedBy(known)
  if (block !== null) return { ...OPEN, block }
  const until = quietAt(timing, now)
  if (until === null) return OPEN
  if (campaignNow?.skipsQuietHours) return { ...OPEN, quiet: QUIET }
  return {
    ...OPEN,
    quiet: { ...QUIET_HOURS, inMs: until - now, isAside: true, ...(data.campaign && { deferredBy: data.campaign.campaignId }) },
  }
}

/** One that failed is sent again as a duplicate of it: a recipient of a late message of the first would have two mails. */
const isOver = (status: CampaignStatus | null | undefined): boolean => status === 'cancelled' || status === 'failed'

const QUIET_HOURS = { type: 'Deferred', counts: false, deferredFor: 'quiet_hours' } as const

const QUIET: MessageCommand = { type: 'RecordSkipped', data: { reason: 'quiet_hours' } }

const pausedBy = ({ judged, campaignNow, flow }: KnownRecipient): Deferral | null => {
  const campaignId = judged.accepted.data.campaign?.campaignId
  const paused = { type: 'Deferred', inMs: PAUSED_MS, counts: false, isAside: true } as const
  if (campaignId !== undefined && campaignNow?.status === 'paused')
    return { ...paused, deferredFor: 'campaign_paused', deferredBy: campaignId }
  return flow?.paused ? { ...paused, deferredFor: 'flow_paused', deferredBy: flow.flowId } : null
}

/** Reasons that no waiting changes. */
const refusedBy = ({ accepted, recipient }: Judged): MessageCommand | null => refusalOn(accepted.data.channel, recipient)

const refusalOn = (channel: MessageChannel, recipient: Recipient): MessageCommand | null => {
  if (channel === 'voice' || channel === 'whatsapp') return null
  const refusal = marketingRefusal(channel, recipient)
  if (refusal === null) return null
  return { type: refusal.outcome === 'suppressed' ? 'RecordSuppressed' : 'RecordSkipped', data: { reason: refusal.reason } }
}

type Timing = Readonly<{ rules: MarketingRules; recipient: Recipient }>

const lateBy = (timing: Timing, acceptedAt: number, now: number): MessageCommand | null => {
  const dueAt = quietAt(timing, acceptedAt) ?? acceptedAt
  return now - dueAt > LATE_MS ? { type: 'RecordFailed', data: { reason: 'expired', detail: null } } : null
}

const quietAt = ({ rules, recipient }: Timing, at: number): number | null =>
  rules.quietHours === null ? null : quietUntil(at, rules.quietHours, [recipient.timezone, rules.timezone])

type Cap = Readonly<{ frequencyCap: FrequencyCap | null; counts: boolean }>

const capBlock = async (pool: Pool, message: CountedMessage, { frequencyCap, counts }: Cap): Promise<MessageCommand | null> => {
  const fits = await (counts ? countWithinCap : isWithinCap)(pool, message, frequencyCap)
  return fits ? null : { type: 'RecordSkipped', data: { reason: 'frequency_cap' } }
}

type Foreseeing = Readonly<{
  message: CountedMessage & Readonly<{ channel: 'email' | 'sms' }>
  skipsQuietHours: boolean
  recipient: Recipient
}>

/** What would keep a message of a campaign from being sent now; null where nothing would. Counts nothing. */
export async function foreseeBlock(
  {
    pool,
    workspaces,
    now,
  }: Readonly<{
    pool: Pool
    workspaces: Readonly<{ marketing: (workspaceId: WorkspaceId) => MarketingRules | Promise<MarketingRules> }>
    now: () => number
  }>,
  { message, skipsQuietHours, recipient }: Foreseeing,
): Promise<Block | null> {
  const rules = await workspaces.marketing(message.workspaceId)
  const refused = refusalOn(message.channel, recipient)
  const capped = refused ?? (await capBlock(pool, message, { frequencyCap: rules.frequencyCap, counts: false }))
  if (capped !== null) return capped
  const [at, until] = [now(), quietAt({ rules, recipient }, now())]
  if (until === null) return null
  return skipsQuietHours ? QUIET : { ...QUIET_HOURS, inMs: until - at }
}
