import type { CampaignId, ListId, TemplateId } from '../ids.ts'
import type { Event, EventDeclarations } from '../kernel.ts'

const CAMPAIGN_STATUSES = ['draft', 'scheduled', 'sending', 'sent', 'paused', 'cancelled', 'failed'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]
/** Statuses that a new campaign may have: to be sent, or the history of another system. */
export const FIRST_CAMPAIGN_STATUSES = ['draft', 'sent', 'paused', 'cancelled', 'failed'] as const
export type FirstCampaignStatus = (typeof FIRST_CAMPAIGN_STATUSES)[number]
export type CampaignChannel = 'email' | 'sms'

/** One of the templates that share the audience, by weights that are relative whole numbers (M37, D17). */
export type CampaignVariant = Readonly<{ templateId: TemplateId; weight: number }>

/** A message that meets quiet hours waits until they end, or is skipped (M34). */
type CampaignQuietHours = 'wait' | 'skip'

/**
 * To whom, what and from whom. `senderAddressId` is of an email campaign, `senderId` of an SMS one. `split` stands instead of `templateId`
 * (D17); without it all get the template. `variants` is the number that is shown (M37).
 */
export type CampaignSettings = Readonly<{
  tagIds: readonly string[]
  listId: ListId | null
  templateId: TemplateId | null
  senderAddressId: string | null
  senderId: string | null
  archived: boolean
  variants: number
  split?: readonly CampaignVariant[]
  quietHours?: CampaignQuietHours
}>

/** The campaign as it is sent, fixed at the start, as are the texts of its templates: later changes of the settings are not of this campaign's mail. `variants` is empty where no template was set. */
export type CampaignPlan = Readonly<{
  listId: ListId | null
  variants: readonly CampaignVariant[]
  senderAddressId: string | null
  senderId: string | null
  quietHours: CampaignQuietHours
}>

/** The reason for which a campaign waits: the operator said so, or its time had been over, or its workspace suspended, for more than an hour (N175). */
export type CampaignPauseReason = 'operator' | 'late'
/** The reason for which a campaign cannot be sent (N175). `no_audience`: no member of the list may get it; `provider_refused`: the provider took none of its messages. */
export type CampaignFailure = 'no_audience' | 'no_valid_sender' | 'template_gone' | 'provider_refused'

// Stored for ever: change only together with an upcast.
export type CampaignCreated = Event<
  'CampaignCreated',
  CampaignSettings & { campaignId: CampaignId; name: string; channel: CampaignChannel; status: FirstCampaignStatus }
>
/** Holds all settings. */
type CampaignChanged = Event<'CampaignChanged', CampaignSettings & { campaignId: CampaignId }>
type CampaignScheduled = Event<'CampaignScheduled', { campaignId: CampaignId; scheduleAt: string }>
type CampaignUnscheduled = Event<'CampaignUnscheduled', { campaignId: CampaignId }>
/** It is being sent. `startedAt`: the audience is of this moment (M36). At most once a campaign. */
export type CampaignStarted = Event<'CampaignStarted', CampaignPlan & { campaignId: CampaignId; startedAt: string }>
/** The audience is taken: so many get a message. At most once a campaign. */
export type CampaignAudienceTaken = Event<'CampaignAudienceTaken', { campaignId: CampaignId; recipients: number }>
type CampaignPaused = Event<'CampaignPaused', { campaignId: CampaignId; reason: CampaignPauseReason }>
/** `texts`: it goes on with the texts that its templates have then; without it, with those it had. */
type CampaignResumed = Event<'CampaignResumed', { campaignId: CampaignId; texts?: 'newest' }>
type CampaignCancelled = Event<'CampaignCancelled', { campaignId: CampaignId }>
/** Every recipient is resolved. */
type CampaignSent = Event<'CampaignSent', { campaignId: CampaignId }>
type CampaignFailed = Event<'CampaignFailed', { campaignId: CampaignId; reason: CampaignFailure }>
export type CampaignEvent =
  | CampaignCreated
  | CampaignChanged
  | CampaignScheduled
  | CampaignUnscheduled
  | CampaignStarted
  | CampaignAudienceTaken
  | CampaignPaused
  | CampaignResumed
  | CampaignCancelled
  | CampaignSent
  | CampaignFailed

export const campaignDeclarations = {
  CampaignCreated: { version: 1 },
  CampaignChanged: { version: 1 },
  CampaignScheduled: { version: 1 },
  CampaignUnscheduled: { version: 1 },
  CampaignStarted: { version: 1 },
  CampaignAudienceTaken: { version: 1 },
  CampaignPaused: { version: 1 },
  CampaignResumed: { version: 1 },
  CampaignCancelled: { version: 1 },
  CampaignSent: { version: 1 },
  CampaignFailed: { version: 1 },
} as const satisfies EventDeclarations & Record<CampaignEvent['type'], unknown>
