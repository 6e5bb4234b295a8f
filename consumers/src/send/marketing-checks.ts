import { emailKey } from '@tidings/addresses'
import type { Recorded } from '@tidings/codec'
import {
  type CampaignStatus,
  type MarketingRules,
  type MessageChannel,
  type MessageCommand,
  marketingRefusal,
  quietUntil,
} from '@tidings/domain'
import { isOfFlow } from '@tidings/flows'
import type { Again } from '@tidings/inbox'
import type { Pool } from 'pg'
import { heldReason, quietReason } from '../campaigns/campaign-holds.ts'
import type { CampaignView } from '../views/campaign-view.ts'
import type { Recipient } from '../views/recipient-view.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import type { Accepted } from './history.ts'
import { type CountedMessage, countWithinCap, isWithinCap } from './marketing-count.ts'

/**
 * Of any channel. `acceptedAt`: ISO. `mayExpire`: it is of a flow, which sends nothing that is more than 24 h late (M38). `inQuietHours`: what
 * becomes of it then, by the campaign that it is of.
 */
type MarketingMessage = CountedMessage &
  Readonly<{
    channel: Exclude<MessageChannel, 'voice' | 'whatsapp'>
    acceptedAt: string
    mayExpire: boolean
    inQuietHours: 'skipped' | Readonly<{ waitsFor: string }>
  }>

/** `isForeseen`: only asked for, so that nothing is counted. */
type Judging = Readonly<{ message: MarketingMessage; recipient: Recipient; rules: MarketingRules; now: number; isForeseen?: boolean }>

/** What marketing messages are judged by. */
export type Judge = Readonly<{
  pool: Pool
  workspaces: Pick<WorkspaceView, 'marketing'>
  campaigns: Pick<CampaignView, 'find'>
  now: () => number
}>

export const LATE_MS = 24 * 3_600_000
/** Of a paused campaign; a resume makes it due. Within what a release finds. */
const HELD_MS = LATE_MS

/** A message whose turn it is. `attempt`: how many were before. */
type Judged = Readonly<{ accepted: Recorded<Accepted>; recipient: Recipient; attempt: number }>

/** What keeps an accepted message from being sent now because it is marketing, or of a campaign that is not being sent; null where nothing does. */
export async function marketingBlock(
  { pool, workspaces, campaigns, now }: Judge,
  { accepted: { meta, data }, recipient, attempt }: Judged,
): Promise<MessageCommand | Again | null> {
  if (data.kind === 'transactional') return null
  const { workspaceId } = meta
  const { contactId, messageId, channel, campaign } = data
  const campaignNow = campaign ? await campaigns.find(workspaceId, campaign.campaignId) : null
  if (campaign && isOver(campaignNow?.status)) return { type: 'RecordSkipped', data: { reason: 'campaign_cancelled' } }
  if (hasMoved(data, recipient)) return { type: 'RecordSkipped', data: { reason: 'address_changed' } }
  // A first attempt that waits would hold up its lane: whatever else is for the contact would wait for the resume.
  if (campaign && campaignNow?.status === 'paused') return { inMs: HELD_MS, counts: attempt === 0, reason: heldReason(campaign.campaignId) }
  const waitsFor = campaign ? quietReason(campaign.campaignId) : 'quiet hours'
  const inQuietHours = campaignNow?.skipsQuietHours ? 'skipped' : { waitsFor }
  const message = { workspaceId, contactId, messageId, channel, acceptedAt: meta.at, mayExpire: isOfFlow(meta.actor), inQuietHours }
  return await judgeMarketing(pool, {
    message: message as Judging['message'],
    recipient,
    rules: await workspaces.marketing(workspaceId),
    now: now(),
  })
}

/** Its contact has given up the address that it waits for, which may be somebody else's by now (M45). */
function hasMoved(data: Accepted['data'], { email, phone }: Recipient): boolean {
  if (!('to' in data)) return false
  const now = data.channel === 'email' ? email : phone
  return now !== data.to && (now === null || data.channel !== 'email' || emailKey(now) !== emailKey(data.to))
}

/** One that failed is sent again as a duplicate of it: a recipient of a late message of the first would have two mails. */
const isOver = (status: CampaignStatus | null | undefined): boolean => status === 'cancelled' || status === 'failed'

type Foreseeing = Readonly<{
  message: CountedMessage & Readonly<{ channel: 'email' | 'sms' }>
  skipsQuietHours: boolean
  recipient: Recipient
}>

/** What would keep a message of a campaign from being sent now; null where nothing would. Counts nothing. */
export async function foreseeBlock(
  { pool, workspaces, now }: Omit<Judge, 'campaigns'>,
  { message, skipsQuietHours, recipient }: Foreseeing,
): Promise<MessageCommand | Again | null> {
  const inQuietHours = skipsQuietHours ? 'skipped' : { waitsFor: 'quiet hours' }
  return await judgeMarketing(pool, {
    message: { ...message, acceptedAt: new Date(now()).toISOString(), mayExpire: false, inQuietHours },
    recipient,
    rules: await workspaces.marketing(message.workspaceId),
    now: now(),
    isForeseen: true,
  })
}

/**
 * What keeps a marketing message from being sent now, in the order of D12: suppression for any reason, consent, lateness, frequency cap, quiet
 * hours. Null where nothing does: then it is counted for the cap. In quiet hours it waits as `queued`, and is judged again when they end.
 */
async function judgeMarketing(pool: Pool, judging: Judging): Promise<MessageCommand | Again | null> {
  const { message, rules, now, isForeseen = false } = judging
  const refused = refusedBy(judging)
  if (refused !== null) return refused
  const until = quietAt(judging, now)
  const fits = await (until === null && !isForeseen ? countWithinCap : isWithinCap)(pool, message, rules.frequencyCap)
  if (!fits) return { type: 'RecordSkipped', data: { reason: 'frequency_cap' } }
  if (until === null) return null
  if (message.inQuietHours === 'skipped') return { type: 'RecordSkipped', data: { reason: 'quiet_hours' } }
  return { inMs: until - now, counts: false, reason: message.inQuietHours.waitsFor }
}

/** What no waiting changes. */
function refusedBy(judging: Judging): MessageCommand | null {
  const { message, recipient, now } = judging
  const refusal = marketingRefusal(message.channel, recipient)
  if (refusal !== null)
    return { type: refusal.outcome === 'suppressed' ? 'RecordSuppressed' : 'RecordSkipped', data: { reason: refusal.reason } }
  const accepted = Date.parse(message.acceptedAt)
  const dueAt = quietAt(judging, accepted) ?? accepted
  return message.mayExpire && now - dueAt > LATE_MS ? { type: 'RecordFailed', data: { reason: 'expired', detail: null } } : null
}

const quietAt = ({ rules, recipient }: Judging, at: number): number | null =>
  rules.quietHours === null ? null : quietUntil(at, rules.quietHours, [recipient.timezone, rules.timezone])
