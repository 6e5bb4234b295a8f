import { databaseNow } from '@tidings/async/clock'
import type { CampaignFailure, CampaignId, CampaignPauseReason, CampaignStatus, TemplateId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { type CampaignOutcome, forWorkspace, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import type { KnownCampaign } from './known-campaign.ts'

/** The reason why the audience of a campaign is not taken yet: the rule of a dynamic list has not reached every contact. */
export type WaitsFor = 'rule_computing'

type Counted = Readonly<{ variant: number; outcome: CampaignOutcome; reason: string; messages: number }>
type ByReason = Readonly<Record<string, number>>

/** Messages. `sent`: the provider has it; `opened` and `clicked` by people (M6). */
type Figures = Readonly<
  Record<'queued' | 'sent' | 'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained' | 'unsubscribed', number>
> &
  Readonly<Record<'skipped' | 'suppressed' | 'failed', ByReason>>

/** The figures as the command line prints them, and as the dashboard shows them. */
export type ShownCampaign = Figures &
  Readonly<{
    id: string
    name: string
    status: CampaignStatus
    /** The reason for which it is paused or failed, or its audience is not taken yet. */
    reason: CampaignPauseReason | CampaignFailure | WaitsFor | null
    /** Recipients, 0 until they are taken. */
    audience: number
    /** Recipients whose message is not begun. */
    waiting: number
    startedAt: string | null
    finishedAt: string | null
    /** Messages a minute that left the queue, on average since the start. */
    perMinute: number | null
    secondsLeft: number | null
    variants: readonly (Figures & Readonly<{ templateId: TemplateId }>)[]
  }>

const sum = (rows: readonly Counted[], outcome: CampaignOutcome): number =>
  rows.reduce((total, row) => (row.outcome === outcome ? total + row.messages : total), 0)

const byReason = (rows: readonly Counted[], outcome: CampaignOutcome): ByReason => {
  const reasons = rows.filter((row) => row.outcome === outcome && row.messages > 0).map(({ reason }) => reason)
  return Object.fromEntries(
    [...new Set(reasons)].sort().map((reason) => [
      reason,
      sum(
        rows.filter((row) => row.reason === reason),
        outcome,
      ),
    ]),
  )
}

const figuresOf = (rows: readonly Counted[]): Figures => ({
  queued: sum(rows, 'queued'),
  sent: sum(rows, 'sent'),
  delivered: sum(rows, 'delivered'),
  opened: sum(rows, 'opened'),
  clicked: sum(rows, 'clicked'),
  bounced: sum(rows, 'bounced'),
  complained: sum(rows, 'complained'),
  unsubscribed: sum(rows, 'unsubscribed'),
  skipped: byReason(rows, 'skipped'),
  suppressed: byReason(rows, 'suppressed'),
  failed: byReason(rows, 'failed'),
})

/** `waitsFor`: of its row. */
type CampaignNow = Omit<KnownCampaign, 'workspaceId'> & Readonly<{ waitsFor?: WaitsFor | null }>

/** The reason why the audience of a campaign waits; null if it is taken, or waits for the read side alone. */
const waitsForOf = async (pool: Pool, campaignId: CampaignId): Promise<WaitsFor | null> => {
  const { rows } = await pool.query<{ waitsFor: WaitsFor | null }>(
    'select waits_for as "waitsFor" from ops.campaign_run where campaign_id = $1',
    [campaignId],
  )
  return rows[0]?.waitsFor ?? null
}

/** How a campaign stands: its state by the log, its figures by the read side as it is now. */
export async function campaignFigures(pool: Pool, known: KnownCampaign): Promise<ShownCampaign> {
  const { workspaceId, campaignId } = known
  const results = forWorkspace(kyselyOn<ReadModels>(pool), workspaceId).campaignResults().where('campaign_id', '=', campaignId)
  const rows = await results.select(['variant', 'outcome', 'reason', 'messages']).execute()
  const counted = rows.map(({ messages, ...row }) => ({ ...row, messages: Number(messages) }))
  return shownCampaign({ ...known, waitsFor: await waitsForOf(pool, campaignId) }, counted, databaseNow())
}

/** The state and figures of a campaign. `now`: ms since 1970. */
export function shownCampaign(
  { campaignId, name, state, events, waitsFor = null }: CampaignNow,
  rows: readonly Counted[],
  now: number,
): ShownCampaign {
  const { status, started, recipients } = state
  const figures = figuresOf(rows)
  const accepted = sum(rows, 'accepted')
  const audience = Math.max(recipients ?? 0, accepted)
  const isEnded = status === 'sent' || status === 'cancelled' || status === 'failed'
  const waiting = isEnded ? 0 : audience - accepted
  const last = events.at(-1)
  const end = events.findLast(({ type }) => type === 'CampaignSent' || type === 'CampaignCancelled' || type === 'CampaignFailed')
  const finishedAt = end?.meta.at ?? null
  const perMinute = started === null ? null : rateOf(accepted - figures.queued, Date.parse(started.startedAt), finishedAt, now)
  return {
    id: campaignId,
    name,
    status,
    reason: last?.type === 'CampaignPaused' || last?.type === 'CampaignFailed' ? last.data.reason : isEnded ? null : waitsFor,
    audience,
    waiting,
    ...figures,
    startedAt: started?.startedAt ?? null,
    finishedAt,
    perMinute,
    secondsLeft: status === 'sending' && perMinute ? Math.ceil(((waiting + figures.queued) / perMinute) * 60) : null,
    variants: (started?.variants ?? []).map(({ templateId }, n) => ({
      templateId,
      ...figuresOf(rows.filter(({ variant }) => variant === n)),
    })),
  }
}

const rateOf = (resolved: number, startedAt: number, finishedAt: string | null, now: number): number => {
  const minutes = Math.max((finishedAt === null ? now : Date.parse(finishedAt)) - startedAt, 1_000) / 60_000
  return Math.round((resolved / minutes) * 10) / 10
}
