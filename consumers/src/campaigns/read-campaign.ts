import type { EventLog, Recorded } from '@tidings/codec'
import {
  type CampaignCommand,
  type CampaignEvent,
  type CampaignId,
  type CampaignStarted,
  type CampaignState,
  campaign,
  campaignStream,
  type WorkspaceId,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { campaignActor } from './campaign-ids.ts'
import type { CampaignWork } from './campaign-work.ts'
import { textsFixedAt } from './fixed-texts.ts'
import type { CampaignRun } from './run-table.ts'

/**
 * A campaign as the log has it. `started`: its start, which causes everything that follows; null before. `audienceAt`: the time at which its audience was taken.
 * `textsAt`: the position at which its texts were fixed.
 */
export type ReadCampaign = Readonly<{
  state: NonNullable<CampaignState>
  started: Recorded<CampaignStarted> | null
  audienceAt: string | null
  textsAt: Position | null
}>

/** Null where there is none. */
export async function readCampaign(
  { log }: Readonly<{ log: EventLog }>,
  { workspaceId, campaignId }: CampaignRun,
): Promise<ReadCampaign | null> {
  const events = await log.readStream<CampaignEvent>(workspaceId, campaignStream(workspaceId, campaignId))
  const state = events.reduce<CampaignState>(campaign.evolve, campaign.initialState)
  const audienceAt = events.find(({ type }) => type === 'CampaignAudienceTaken')?.meta.at ?? null
  return state === null ? null : { state, started: events.find(isStarted) ?? null, audienceAt, textsAt: textsFixedAt(events) }
}

const isStarted = (event: Recorded<CampaignEvent>): event is Recorded<CampaignStarted> => event.type === 'CampaignStarted'

/** Records what the campaign came to. Each happens at most once a campaign, or for its `occasion`: a repetition is known again. */
export async function record(
  work: CampaignWork,
  { workspaceId, campaignId, occasion }: Readonly<{ workspaceId: WorkspaceId; campaignId: CampaignId; occasion?: number }>,
  command: CampaignCommand,
): Promise<void> {
  const commandId = `${campaignId}:${command.type}${occasion === undefined ? '' : `:${occasion}`}`
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
