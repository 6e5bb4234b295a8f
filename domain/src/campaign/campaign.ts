import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'

const CAMPAIGN_STATUSES = ['draft', 'scheduled', 'sending', 'sent', 'paused', 'cancelled', 'failed'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]
/** Statuses that a new campaign may have: to be sent, or the history of another system. */
export const FIRST_CAMPAIGN_STATUSES = ['draft', 'sent', 'paused', 'cancelled', 'failed'] as const
export type FirstCampaignStatus = (typeof FIRST_CAMPAIGN_STATUSES)[number]
export type CampaignChannel = 'email' | 'sms'

/** To whom, what and from whom. `senderAddressId` is of an email campaign, `senderId` of an SMS one. */
type CampaignSettings = Readonly<{
  tagIds: readonly string[]
  listId: string | null
  templateId: string | null
  senderAddressId: string | null
  senderId: string | null
  archived: boolean
  variants: number
}>

// Stored for ever: change only together with an upcast.
type CampaignCreated = Event<
  'CampaignCreated',
  CampaignSettings & { campaignId: string; name: string; channel: CampaignChannel; status: FirstCampaignStatus }
>
/** Holds all settings. */
type CampaignChanged = Event<'CampaignChanged', CampaignSettings & { campaignId: string }>
type CampaignScheduled = Event<'CampaignScheduled', { campaignId: string; scheduleAt: string }>
type CampaignUnscheduled = Event<'CampaignUnscheduled', { campaignId: string }>
type CampaignCancelled = Event<'CampaignCancelled', { campaignId: string }>
export type CampaignEvent = CampaignCreated | CampaignChanged | CampaignScheduled | CampaignUnscheduled | CampaignCancelled

export const campaignDeclarations = {
  CampaignCreated: { version: 1 },
  CampaignChanged: { version: 1 },
  CampaignScheduled: { version: 1 },
  CampaignUnscheduled: { version: 1 },
  CampaignCancelled: { version: 1 },
} satisfies EventDeclarations & Record<CampaignEvent['type'], unknown>

export const CAMPAIGN_MOVES = ['schedule', 'unschedule', 'start', 'pause', 'resume', 'cancel'] as const
export type CampaignMove = (typeof CAMPAIGN_MOVES)[number]

/** From which states an operator may make each move (N175); sent, cancelled and failed are final. */
export const moveFrom: Readonly<Record<CampaignMove, readonly CampaignStatus[]>> = {
  schedule: ['draft'],
  unschedule: ['scheduled'],
  start: ['draft', 'scheduled'],
  pause: ['sending'],
  resume: ['paused'],
  cancel: ['scheduled', 'sending', 'paused'],
}

/** Null while there is no such campaign. */
type CampaignState = Readonly<{ channel: CampaignChannel; status: CampaignStatus; settings: CampaignSettings }> | null

/** Makes the campaign be as described. The status counts when it is new: later only moves change it. */
export type ConfigureCampaign = Command<'ConfigureCampaign', CampaignCreated['data']>
/** `at` is when to send, of the move `schedule` alone; `now` is the server's clock. Both ISO 8601, UTC, with milliseconds. */
type MoveCampaign = Command<'MoveCampaign', { campaignId: string; move: CampaignMove; at: string | null; now: string }>
type CampaignCommand = ConfigureCampaign | MoveCampaign

/** A campaign's own stream; its id comes from workspace and name. */
export function campaignStream(workspaceId: string, campaignId: string): string {
  return `campaign-${workspaceId}-${campaignId}`
}

const decide = (command: CampaignCommand, state: CampaignState): readonly CampaignEvent[] => {
  switch (command.type) {
    case 'ConfigureCampaign':
      return configure(command.data, state)
    case 'MoveCampaign':
      return move(command.data, state)
    default:
      return command satisfies never
  }
}

const configure = (data: CampaignCreated['data'], state: CampaignState): readonly CampaignEvent[] => {
  if (state === null) return [{ type: 'CampaignCreated', data }]
  const { campaignId, name: _, channel, status: __, ...settings } = data
  if (channel !== state.channel) throw new Refused('campaign_channel_fixed')
  return sameJson(settings, state.settings) ? [] : [{ type: 'CampaignChanged', data: { campaignId, ...settings } }]
}

const move = ({ campaignId, move: wanted, at, now }: MoveCampaign['data'], state: CampaignState): readonly CampaignEvent[] => {
  if (state === null) throw new Refused('campaign_not_found')
  if (!moveFrom[wanted].includes(state.status)) throw new Refused('campaign_move_not_allowed', { status: state.status })
  switch (wanted) {
    case 'schedule':
      if (at === null || at <= now) throw new Refused('campaign_schedule_not_ahead')
      return [{ type: 'CampaignScheduled', data: { campaignId, scheduleAt: at } }]
    case 'unschedule':
      return [{ type: 'CampaignUnscheduled', data: { campaignId } }]
    case 'cancel':
      return [{ type: 'CampaignCancelled', data: { campaignId } }]
    default:
      // Known limit: nothing sends campaigns yet, and a campaign that was started would stay `sending`.
      throw new Refused('campaigns_not_sent')
  }
}

const evolve = (state: CampaignState, event: CampaignEvent): CampaignState => {
  if (event.type === 'CampaignCreated') {
    const { campaignId: _, name: __, channel, status, ...settings } = event.data
    return { channel, status, settings }
  }
  if (state === null) return null
  switch (event.type) {
    case 'CampaignChanged': {
      const { campaignId: _, ...settings } = event.data
      return { ...state, settings }
    }
    case 'CampaignScheduled':
      return { ...state, status: 'scheduled' }
    case 'CampaignUnscheduled':
      return { ...state, status: 'draft' }
    case 'CampaignCancelled':
      return { ...state, status: 'cancelled' }
    default:
      return event satisfies never
  }
}

/** A campaign as a record (contract: Lookup lists; N175). Its name and channel never change. */
export const campaign: Decider<CampaignCommand, CampaignEvent, CampaignState> = { decide, evolve, initialState: null }
