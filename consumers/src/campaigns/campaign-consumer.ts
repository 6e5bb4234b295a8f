import type { Consumer, Effect } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import type { CampaignEvent, CampaignId, ContactId, MessageEvent, WorkspaceId } from '@tidings/domain'
import type { Admission, NewJob } from '@tidings/jobs'
import { type Counted, countedColumns } from './count-outcomes.ts'
import { wake } from './run-table.ts'

const CAMPAIGNS = 'campaigns'

type Move = Extract<CampaignEvent, Readonly<{ data: Readonly<{ campaignId: CampaignId }>; type: (typeof MOVES)[number] }>>
type CampaignOutcome = Extract<MessageEvent, Readonly<{ type: (typeof OUTCOMES)[number] }>>

/** Each of these events may mean work for the campaign. */
const MOVES = [
  'CampaignScheduled',
  'CampaignUnscheduled',
  'CampaignStarted',
  'CampaignPaused',
  'CampaignResumed',
  'CampaignCancelled',
] as const satisfies readonly CampaignEvent['type'][]
/** Each of them takes a queued message out of `queued`: a receipt also where the answer of the provider was lost. */
const TAKEN = ['MessageSent', 'MessageDelivered', 'MessageBounced', 'MessageComplained'] as const satisfies readonly MessageEvent['type'][]
const NOT_TAKEN = ['MessageFailed', 'MessageSuppressed', 'MessageSkipped'] as const satisfies readonly MessageEvent['type'][]
const OUTCOMES = [...TAKEN, ...NOT_TAKEN] as const

/**
 * Wakes campaigns that were moved, resolves recipients whose message has an outcome, and releases what a pause or quiet hours deferred. `onMoved`:
 * campaigns were moved, and the database shows it.
 */
export function campaignConsumer({ admitReleases, onMoved }: Readonly<{ admitReleases: Admission; onMoved: () => void }>): Consumer {
  return {
    group: CAMPAIGNS,
    types: [...MOVES, ...OUTCOMES],
    concerns: (events) => events.some((event) => isMove(event) || (isOutcome(event) && event.data.campaign !== undefined)),
    effect: async (events) => (events.some(isMove) ? null : resolvingOf(events)),
    handle: async (events, tx) => {
      const moves = events.filter(isMove)
      await wake(
        tx,
        moves.map(({ meta: { workspaceId }, data: { campaignId } }) => ({ workspaceId, campaignId })),
      )
      const resolving = resolvingOf(events)
      if (resolving !== null) await tx.query({ name: resolving.name, text: `select ${resolving.call}`, values: [...resolving.values] })
      const begin = await admitReleases(tx, moves.flatMap(releaseOf))
      return () => {
        begin()
        if (moves.length > 0) onMoved()
      }
    },
  }
}

const isMove = (event: Recorded): event is Recorded<Move> => MOVES.some((type) => type === event.type)
const isOutcome = (event: Recorded): event is Recorded<CampaignOutcome> => OUTCOMES.some((type) => type === event.type)

type OfCampaign = Readonly<{ workspaceId: WorkspaceId; campaignId: CampaignId; contactId: ContactId; isTaken: boolean; isRefused: boolean }>

const ofCampaign = ({ type, data, meta: { workspaceId } }: Recorded<CampaignOutcome>): readonly OfCampaign[] => {
  const { campaign, contactId } = data
  if (campaign === undefined || contactId === null) return []
  const isRefused = type === 'MessageFailed' && (data.reason === 'provider_rejected' || data.reason === 'provider_unavailable')
  return [{ workspaceId, campaignId: campaign.campaignId, contactId, isTaken: TAKEN.some((one) => one === type), isRefused }]
}

/** Resolves the recipients whose messages have an outcome; null where there is none. */
const resolvingOf = (events: readonly Recorded[]): Effect | null => {
  const outcomes = events.filter(isOutcome).flatMap(ofCampaign)
  if (outcomes.length === 0) return null
  const recipients = [
    outcomes.map(({ workspaceId }) => workspaceId),
    outcomes.map(({ campaignId }) => campaignId),
    outcomes.map(({ contactId }) => contactId),
  ]
  return {
    name: 'campaign-resolve-messages',
    call: 'ops.resolve_campaign_messages($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::boolean[], $6::int[])',
    values: [...recipients, ...countedColumns(countedOf(outcomes))],
    done: () => undefined,
  }
}

const countedOf = (outcomes: readonly OfCampaign[]): readonly Counted[] =>
  [...Map.groupBy(outcomes, ({ campaignId }) => campaignId)].map(([campaignId, all]) => ({
    campaignId,
    accepted: all.some(({ isTaken }) => isTaken),
    refused: all.filter(({ isRefused }) => isRefused).length,
  }))

const releaseOf = ({ type, data, meta, position }: Recorded<Move>): readonly NewJob[] =>
  type === 'CampaignResumed' || type === 'CampaignCancelled'
    ? [{ workspaceId: meta.workspaceId, lane: data.campaignId, seq: position.commit, payload: data.campaignId }]
    : []
