import type { CampaignId, ContactId, WorkspaceId } from '../ids.ts'
import { type Command, type Decider, Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'
import type {
  CampaignChannel,
  CampaignCreated,
  CampaignEvent,
  CampaignFailure,
  CampaignPlan,
  CampaignSettings,
  CampaignStarted,
  CampaignStatus,
  CampaignVariant,
} from './campaign.events.ts'

/**
 * Null while there is no such campaign. `scheduleAt`: when it is or was to be sent; `started`: what is sent, null until it is; `recipients`:
 * how many, null until the audience is taken.
 */
export type CampaignState = Readonly<{
  channel: CampaignChannel
  status: CampaignStatus
  settings: Required<CampaignSettings>
  scheduleAt: string | null
  started: CampaignStarted['data'] | null
  recipients: number | null
}> | null

/** Campaigns from before there were variants and quiet hours of their own. */
const settingsOf = (settings: CampaignSettings): Required<CampaignSettings> => ({ split: [], quietHours: 'wait', ...settings })

export function evolveCampaign(state: CampaignState, event: CampaignEvent): CampaignState {
  if (event.type === 'CampaignCreated') {
    const { campaignId: _, name: __, channel, status, ...settings } = event.data
    return { channel, status, settings: settingsOf(settings), scheduleAt: null, started: null, recipients: null }
  }
  if (state === null) return null
  switch (event.type) {
    case 'CampaignChanged': {
      const { campaignId: _, ...settings } = event.data
      return { ...state, settings: settingsOf(settings) }
    }
    case 'CampaignScheduled':
      return { ...state, status: 'scheduled', scheduleAt: event.data.scheduleAt }
    case 'CampaignUnscheduled':
      return { ...state, status: 'draft', scheduleAt: null }
    case 'CampaignStarted':
      return { ...state, status: 'sending', started: event.data }
    case 'CampaignAudienceTaken':
      return { ...state, recipients: event.data.recipients }
    case 'CampaignPaused':
      return { ...state, status: 'paused' }
    case 'CampaignResumed':
      return { ...state, status: 'sending' }
    case 'CampaignCancelled':
      return { ...state, status: 'cancelled' }
    case 'CampaignSent':
      return { ...state, status: 'sent' }
    case 'CampaignFailed':
      return { ...state, status: 'failed' }
    default:
      return event satisfies never
  }
}

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
type MoveCampaign = Command<
  'MoveCampaign',
  { campaignId: CampaignId; move: CampaignMove; at: string | null; now: string; texts?: 'newest' }
>
/** Its time has come. */
type BeginScheduled = Command<'BeginScheduled', { campaignId: CampaignId; now: string }>
type RecordAudience = Command<'RecordAudience', { campaignId: CampaignId; recipients: number }>
/** Its workspace was suspended for so long that the operator is to say whether it is still wanted. */
type PauseLate = Command<'PauseLate', { campaignId: CampaignId }>
/** Every recipient is resolved. */
type FinishCampaign = Command<'FinishCampaign', { campaignId: CampaignId }>
type FailCampaign = Command<'FailCampaign', { campaignId: CampaignId; reason: CampaignFailure }>
export type CampaignCommand = ConfigureCampaign | MoveCampaign | BeginScheduled | PauseLate | RecordAudience | FinishCampaign | FailCampaign

/** A campaign's own stream; its id comes from workspace and name. */
export function campaignStream(workspaceId: WorkspaceId, campaignId: CampaignId): string {
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

type KnownCampaign = NonNullable<CampaignState>

const move = ({ campaignId, move: wanted, at, now, texts }: MoveCampaign['data'], state: KnownCampaign): readonly CampaignEvent[] => {
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
const begin = ({ campaignId, now }: BeginScheduled['data'], state: KnownCampaign): readonly CampaignEvent[] => {
  if (state.status !== 'scheduled' || state.scheduleAt === null || state.scheduleAt > now) return []
  const isLate = Date.parse(now) - Date.parse(state.scheduleAt) > LATE_MS
  return [isLate ? pausedLate(campaignId) : started(campaignId, state, now)]
}

const pausedLate = (campaignId: CampaignId): CampaignEvent => ({ type: 'CampaignPaused', data: { campaignId, reason: 'late' } })

/** A pause does not keep it from being taken: it is that of the start. */
const awaitsAudience = ({ status, started: plan, recipients }: KnownCampaign): boolean =>
  plan !== null && recipients === null && (status === 'sending' || status === 'paused')

const started = (campaignId: CampaignId, { settings }: KnownCampaign, startedAt: string): CampaignEvent => ({
  type: 'CampaignStarted',
  data: { campaignId, startedAt, ...planOf(settings) },
})

/** The plan that a start would fix now. */
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

/** FNV-1a with the final mix of MurmurHash3: one bit more or less of the text changes half of the result's. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The variant that a contact gets, counted from 0: always the same one, and each in proportion to its weight (M37). */
export function variantOf(campaignId: CampaignId, contactId: ContactId, variants: readonly CampaignVariant[]): number {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0)
  let left = (hashOf(`${campaignId}:${contactId}`) / 2 ** 32) * total
  for (const [index, { weight }] of variants.entries()) {
    left -= weight
    if (left < 0) return index
  }
  return Math.max(0, variants.length - 1)
}
