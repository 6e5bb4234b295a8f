import type { Event, EventDeclarations } from '../kernel.ts'

export const CAMPAIGN_STATUSES = ['draft', 'scheduled', 'sending', 'sent', 'paused', 'cancelled', 'failed'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]
/** How a campaign may come: to be sent, or as the history of another system. */
export const FIRST_CAMPAIGN_STATUSES = ['draft', 'sent', 'paused', 'cancelled', 'failed'] as const
export type FirstCampaignStatus = (typeof FIRST_CAMPAIGN_STATUSES)[number]
export type CampaignChannel = 'email' | 'sms'

/** To whom, what and from whom. `senderAddressId` is of an email campaign, `senderId` of an SMS one. */
export type CampaignSettings = Readonly<{
  tagIds: readonly string[]
  listId: string | null
  templateId: string | null
  senderAddressId: string | null
  senderId: string | null
  archived: boolean
  variants: number
}>

// Stored for ever: change only together with an upcast.
export type CampaignCreated = Event<
  'CampaignCreated',
  CampaignSettings & { campaignId: string; name: string; channel: CampaignChannel; status: FirstCampaignStatus }
>
/** Holds all settings. */
export type CampaignChanged = Event<'CampaignChanged', CampaignSettings & { campaignId: string }>
export type CampaignScheduled = Event<'CampaignScheduled', { campaignId: string; scheduleAt: string }>
export type CampaignUnscheduled = Event<'CampaignUnscheduled', { campaignId: string }>
export type CampaignCancelled = Event<'CampaignCancelled', { campaignId: string }>
export type CampaignEvent = CampaignCreated | CampaignChanged | CampaignScheduled | CampaignUnscheduled | CampaignCancelled

export const campaignDeclarations = {
  CampaignCreated: { version: 1 },
  CampaignChanged: { version: 1 },
  CampaignScheduled: { version: 1 },
  CampaignUnscheduled: { version: 1 },
  CampaignCancelled: { version: 1 },
} satisfies EventDeclarations & Record<CampaignEvent['type'], unknown>
