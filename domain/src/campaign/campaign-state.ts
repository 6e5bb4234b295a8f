import type { CampaignChannel, CampaignEvent, CampaignSettings, CampaignStarted, CampaignStatus } from './campaign.events.ts'

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
