import { appendContext, waitUntilVisible } from '@tidings/administration'
import { Campaign, CampaignParams, MoveCampaignBody } from '@tidings/contracts'
import { campaign, campaignStream } from '@tidings/domain'
import { parseMoment } from '@tidings/evidence'
import { type App, invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { campaignRecord, existingCampaign } from './campaigns.ts'

const schema = {
  operationId: 'campaigns.move',
  summary: 'Schedule, start, pause, resume or cancel a campaign',
  tags: ['campaigns'],
  params: CampaignParams,
  body: MoveCampaignBody,
  response: { 200: Campaign },
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  refusals: ['campaign_not_found', 'campaign_move_not_allowed', 'campaign_schedule_not_ahead'],
} as const

/** The decider says what the state allows (N175). A pause or a cancel is answered when no process hands anything over any more (M43). */
export function moveCampaign(app: App, deps: DashboardDependencies): void {
  app.post('/campaigns/:id/moves', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { id: campaignId } = request.params
    const { move, at, texts } = request.body
    if (move !== 'resume' && texts !== undefined) throw invalidRequest('texts must be given with resume alone')
    const context = appendContext(request, deps.now())
    const { position } = await deps.commands.execute({
      decider: campaign,
      stream: campaignStream(workspaceId, campaignId),
      command: { type: 'MoveCampaign', data: { campaignId, move, at: momentOf(move, at), now: context.at, ...(texts && { texts }) } },
      context,
    })
    await waitUntilVisible(deps, reply, { position, projections: ['campaigns'] })
    return await campaignRecord(deps, await existingCampaign(deps, { workspaceId, campaignId }))
  })
}

/** A moment names its zone, so that it means the same to everybody; a date alone would not. */
const momentOf = (move: string, at: string | undefined): string | null => {
  if (move !== 'schedule') {
    if (at !== undefined) throw invalidRequest('at must be given with schedule alone')
    return null
  }
  const moment = at?.includes('T') ? parseMoment(at) : null
  if (moment === null) throw invalidRequest('at must be a time with its zone, like 2026-11-21T09:00:00Z')
  return moment
}
