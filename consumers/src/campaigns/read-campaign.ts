import type { Recorded } from '@tidings/codec'
import {
  type CampaignCommand,
  type CampaignEvent,
  type CampaignStarted,
  type CampaignState,
  campaign,
  campaignStream,
} from '@tidings/domain'
import { campaignActor } from './campaign-ids.ts'
import type { CampaignWork } from './campaign-work.ts'
import type { CampaignRun } from './run-table.ts'

/** A campaign as the log has it. `started`: null until it is; what follows from it is caused by it. `audienceAt`: when its audience was taken. */
export type ReadCampaign = Readonly<{
  state: NonNullable<CampaignState>
  started: Recorded<CampaignStarted> | null
  audienceAt: string | null
}>

/** Null where there is none. */
export async function readCampaign(
  { log }: Pick<CampaignWork, 'log'>,
  { workspaceId, campaignId }: CampaignRun,
): Promise<ReadCampaign | null> {
  const events = await log.readStream<CampaignEvent>(workspaceId, campaignStream(workspaceId, campaignId))
  const state = events.reduce<CampaignState>(campaign.evolve, campaign.initialState)
  const audienceAt = events.find(({ type }) => type === 'CampaignAudienceTaken')?.meta.at ?? null
  return state === null ? null : { state, started: events.find(isStarted) ?? null, audienceAt }
}

const isStarted = (event: Recorded<CampaignEvent>): event is Recorded<CampaignStarted> => event.type === 'CampaignStarted'

/** Records what the campaign came to. Each happens at most once a campaign: a repetition is known again. */
export async function record(work: CampaignWork, { workspaceId, campaignId }: CampaignRun, command: CampaignCommand): Promise<void> {
  const commandId = `${campaignId}:${command.type}`
  await work.commands.execute({
    decider: campaign,
    stream: campaignStream(workspaceId, campaignId),
    command,
    context: {
      commandId,
      workspaceId,
      actor: campaignActor(campaignId),
      requestId: commandId,
      at: new Date(work.now()).toISOString(),
    },
  })
}
