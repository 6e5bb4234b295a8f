import { type Command, type Decider, Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'
import type { CampaignCreated, CampaignEvent, CampaignFailure, CampaignPlan, CampaignSettings, CampaignStatus } from './campaign.events.ts'
import { type CampaignState, evolveCampaign } from './campaign-state.ts'

export const CAMPAIGN_MOVES = ['schedule', 'unschedule', 'start', 'pause', 'resume', 'cancel'] as const
export type CampaignMove = (typeof CAMPAIGN_MOVES)[number]

/** The states from which an operator may make each move (N175); sent, cancelled and failed are final. */
export const moveFrom: Readonly<Record<CampaignMove, readonly CampaignStatus[]>> = {
  schedule: ['draft'],
  unschedule: ['scheduled'],
  start: ['draft', 'scheduled'],
  pause: ['sending'],
  resume: ['paused'],
  cancel: ['scheduled', 'sending', 'paused'],
}

/**
 * A scheduled campaign that begins later than this, and one that is being sent whose workspace is suspended for longer, is paused, for the operator
 * to say whether it is still wanted (N175).
 */
export const LATE_MS = 3_600_000

/** Makes the campaign be as described. The status counts when it is new: later only moves change it. */
export type ConfigureCampaign = Command<'ConfigureCampaign', CampaignCreated['data']>
/**
 * `at` is when to send, of the move `schedule` alone; `now` is the server's clock. Both ISO 8601, UTC, with milliseconds. `texts`: of the move
 * `resume` alone, as in `CampaignResumed`.
 */
type MoveCampaign = Command<'MoveCampaign', { campaignId: string; move: CampaignMove; at: string | null; now: string; texts?: 'newest' }>
/** Its time has come. */
type BeginScheduled = Command<'BeginScheduled', { campaignId: string; now: string }>
type RecordAudience = Command<'RecordAudience', { campaignId: string; recipients: number }>
/** Its workspace was suspended for so long that the operator is to say whether it is still wanted. */
type PauseLate = Command<'PauseLate', { campaignId: string }>
/** Every recipient is resolved. */
type FinishCampaign = Command<'FinishCampaign', { campaignId: string }>
type FailCampaign = Command<'FailCampaign', { campaignId: string; reason: CampaignFailure }>
export type CampaignCommand = ConfigureCampaign | MoveCampaign | BeginScheduled | PauseLate | RecordAudience | FinishCampaign | FailCampaign

/** A campaign's own stream; its id comes from workspace and name. */
export function campaignStream(workspaceId: string, campaignId: string): string {
  return `campaign-${workspaceId}-${campaignId}`
}

const decide = (command: CampaignCommand, state: CampaignState): readonly CampaignEvent[] => {
  if (command.type === 'ConfigureCampaign') return configure(command.data, state)
  if (state === null) throw new Refused('campaign_not_found')
  const { campaignId } = command.data
  switch (command.type) {
    case 'MoveCampaign':
      return move(command.data, state)
    case 'BeginScheduled':
      return begin(command.data, state)
    case 'PauseLate':
      return state.status === 'sending' ? [pausedLate(campaignId)] : []
    case 'RecordAudience':
      return awaitsAudience(state) ? [{ type: 'CampaignAudienceTaken', data: { campaignId, recipients: command.data.recipients } }] : []
    case 'FinishCampaign':
      return state.status === 'sending' && state.recipients !== null ? [{ type: 'CampaignSent', data: { campaignId } }] : []
    case 'FailCampaign':
      return state.status === 'sending' ? [{ type: 'CampaignFailed', data: { campaignId, reason: command.data.reason } }] : []
    default:
      return command satisfies never
  }
}

const configure = (data: CampaignCreated['data'], state: CampaignState): readonly CampaignEvent[] => {
  if (state === null) return [{ type: 'CampaignCreated', data }]
  const { campaignId, name: _, channel, status: __, ...settings } = data
  if (channel !== state.channel) throw new Refused('campaign_channel_fixed')
  return sameJson({ split: [], quietHours: 'wait', ...settings }, state.settings)
    ? []
    : [{ type: 'CampaignChanged', data: { campaignId, ...settings } }]
}

type Known = NonNullable<CampaignState>

const move = ({ campaignId, move: wanted, at, now, texts }: MoveCampaign['data'], state: Known): readonly CampaignEvent[] => {
  if (!moveFrom[wanted].includes(state.status)) throw new Refused('campaign_move_not_allowed', { status: state.status })
  switch (wanted) {
    case 'schedule':
      if (at === null || at <= now) throw new Refused('campaign_schedule_not_ahead')
      return [{ type: 'CampaignScheduled', data: { campaignId, scheduleAt: at } }]
    case 'unschedule':
      return [{ type: 'CampaignUnscheduled', data: { campaignId } }]
    case 'start':
      return [started(campaignId, state, now)]
    case 'pause':
      return [{ type: 'CampaignPaused', data: { campaignId, reason: 'operator' } }]
    case 'resume':
      return [
        state.started === null
          ? started(campaignId, state, now)
          : { type: 'CampaignResumed', data: { campaignId, ...(texts && { texts }) } },
      ]
    case 'cancel':
      return [{ type: 'CampaignCancelled', data: { campaignId } }]
    default:
      return wanted satisfies never
  }
}

/** Does nothing before the campaign's time, or if it is not scheduled any more. */
const begin = ({ campaignId, now }: BeginScheduled['data'], state: Known): readonly CampaignEvent[] => {
  if (state.status !== 'scheduled' || state.scheduleAt === null || state.scheduleAt > now) return []
  const isLate = Date.parse(now) - Date.parse(state.scheduleAt) > LATE_MS
  return [isLate ? pausedLate(campaignId) : started(campaignId, state, now)]
}

const pausedLate = (campaignId: string): CampaignEvent => ({ type: 'CampaignPaused', data: { campaignId, reason: 'late' } })

/** A pause does not keep it from being taken: it is that of the start. */
const awaitsAudience = ({ status, started: plan, recipients }: Known): boolean =>
  plan !== null && recipients === null && (status === 'sending' || status === 'paused')

const started = (campaignId: string, { settings }: Known, startedAt: string): CampaignEvent => ({
  type: 'CampaignStarted',
  data: { campaignId, startedAt, ...planOf(settings) },
})

/** What would be sent, if it were started now. */
export function planOf({ listId, senderAddressId, senderId, quietHours, ...settings }: Required<CampaignSettings>): CampaignPlan {
  return {
    listId,
    variants: variantsOf(settings),
    senderAddressId,
    senderId,
    quietHours,
  }
}

const variantsOf = ({ split, templateId }: Pick<Required<CampaignSettings>, 'split' | 'templateId'>): CampaignPlan['variants'] => {
  if (split.length > 0) return split
  return templateId === null ? [] : [{ templateId, weight: 1 }]
}

/** A campaign: its record (contract: Lookup lists), its moves, and what is sent (N175, M36). Its name and channel never change. */
export const campaign: Decider<CampaignCommand, CampaignEvent, CampaignState> = { decide, evolve: evolveCampaign, initialState: null }
