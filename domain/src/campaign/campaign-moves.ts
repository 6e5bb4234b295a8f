import type { CampaignStatus } from './campaign.events.ts'

export const CAMPAIGN_MOVES = ['schedule', 'unschedule', 'start', 'pause', 'resume', 'cancel'] as const
export type CampaignMove = (typeof CAMPAIGN_MOVES)[number]

/** From which states an operator may make each move (N175); sent, cancelled and failed are for ever. */
export const moveFrom: Readonly<Record<CampaignMove, readonly CampaignStatus[]>> = {
  schedule: ['draft'],
  unschedule: ['scheduled'],
  start: ['draft', 'scheduled'],
  pause: ['sending'],
  resume: ['paused'],
  cancel: ['scheduled', 'sending', 'paused'],
}
