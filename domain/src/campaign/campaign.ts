import { type Command, type Decider, Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'
import type { CampaignChannel, CampaignCreated, CampaignEvent, CampaignSettings, CampaignStatus } from './campaign.events.ts'
import { type CampaignMove, moveFrom } from './campaign-moves.ts'

/** Null while there is no such campaign. */
export type CampaignState = Readonly<{ channel: CampaignChannel; status: CampaignStatus; settings: CampaignSettings }> | null

/** Makes the campaign be as described. The status counts when it is new: later only moves change it. */
export type ConfigureCampaign = Command<'ConfigureCampaign', CampaignCreated['data']>
/** `at` is when to send, of the move `schedule` alone; `now` is the server's clock. Both ISO 8601, UTC, with milliseconds. */
export type MoveCampaign = Command<'MoveCampaign', { campaignId: string; move: CampaignMove; at: string | null; now: string }>
export type CampaignCommand = ConfigureCampaign | MoveCampaign

/** A campaign's own stream; its id comes from workspace and name. */
export const campaignStream = (workspaceId: string, campaignId: string): string => `campaign-${workspaceId}-${campaignId}`

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
      // Known limit: nothing sends campaigns yet, and one that only said so would stay `sending` for ever.
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
