import { setTimeout as sleep } from 'node:timers/promises'
import { isoNow } from '@tidings/async/clock'
import { OperationFailed } from '@tidings/config'
import {
  asCampaignId,
  type CampaignId,
  type CampaignMove,
  campaign,
  campaignStream,
  isUuid,
  moveFrom,
  type WorkspaceId,
} from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { sayingWhy } from '../operator/refused.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'

type Moving = Readonly<{ workspace: string; id: string; at?: string; newestTexts?: boolean; json: boolean }>

const recordOf = async ({ stores }: Operator, workspaceId: WorkspaceId, id: CampaignId) => {
  const query = forWorkspace(kyselyOn<ReadModels>(stores.pool), workspaceId).campaigns()
  const row = await query.select(['name', 'channel', 'status', 'schedule_at']).where('id', '=', id).executeTakeFirstOrThrow()
  return { id, name: row.name, channel: row.channel, status: row.status, scheduleAt: row.schedule_at?.toISOString() ?? null }
}

/** The service takes an audience at once; one of a million takes longer than a command waits (M2). */
const AUDIENCE_MS = 2_000
const LOOK_MS = 100

/** Waits until the audience of a campaign that was just started is taken, or is known to be empty. */
const untilTaken = async ({ provisioner }: Operator, workspaceId: WorkspaceId, campaignId: CampaignId): Promise<void> => {
  for (let waited = 0; waited < AUDIENCE_MS; waited += LOOK_MS) {
    const state = await provisioner.load(workspaceId, campaign, campaignStream(workspaceId, campaignId))
    const isEmpty = state?.recipients === 0 && state.status === 'sending'
    if (state?.status !== 'sending' || (state.recipients !== null && !isEmpty)) return
    await sleep(LOOK_MS)
  }
}

/** `tidings campaign <move>`: one that the state does not allow is refused. */
export function move(wanted: CampaignMove, { workspace: slug, id, at, newestTexts, json }: Moving): Promise<void> {
  return withOperator(json, async (operator) => {
    const { id: workspaceId } = await existingWorkspace(operator, slug)
    const campaignId = asCampaignId(id.toLowerCase())
    const unknown = `Workspace ${slug} has no campaign ${id}.`
    if (!isUuid(campaignId)) throw new OperationFailed(unknown)
    const data = { campaignId, move: wanted, at: at ?? null, now: isoNow(), ...(newestTexts && { texts: 'newest' as const }) }
    const stream = campaignStream(workspaceId, campaignId)
    await sayingWhy(operator.provisioner.execute(workspaceId, campaign, stream, { type: 'MoveCampaign', data }), {
      campaign_not_found: unknown,
      campaign_move_not_allowed: ({ context }) =>
        `The campaign is ${context.status}: ${wanted} needs one that is ${moveFrom[wanted].join(' or ')}.`,
      campaign_schedule_not_ahead: 'The time is over: give one that is ahead.',
    })
    await operator.settle()
    if (wanted === 'start' || wanted === 'resume') await untilTaken(operator, workspaceId, campaignId)
    const record = await recordOf(operator, workspaceId, campaignId)
    return {
      json: record,
      lines: [`${record.name} is ${record.status}${record.status === 'scheduled' ? ` for ${record.scheduleAt}` : ''}.`],
    }
  })
}
