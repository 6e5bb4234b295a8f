import { waitUntilVisible } from '@tidings/administration'
import { recordIdOf } from '@tidings/codec'
import { Campaign, type ConfigureCampaignBody, CreateCampaignBody } from '@tidings/contracts'
import { campaign, campaignStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { createRecord } from '../editing/create-record.ts'
import { campaignRecord, existingCampaign } from './campaigns.ts'
import { SETTING_REFUSALS, settingsOf } from './settings.ts'

const schema = {
  operationId: 'campaigns.create',
  summary: 'Make a campaign, a draft',
  tags: ['campaigns'],
  body: CreateCampaignBody,
  response: { 201: Campaign },
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  refusals: ['campaign_name_taken', ...SETTING_REFUSALS],
} as const

const nothing: ConfigureCampaignBody = {
  ...{ listId: null, templateId: null, variants: [], from: null },
  ...{ quietHours: 'wait', tagIds: [], archived: false },
}

/** Its id follows from its name, as in a file of `apply`: the same record from either side, and no name twice. */
export function createCampaign(app: App, deps: DashboardDependencies): void {
  app.post('/campaigns', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { name, channel, ...given } = request.body
    const settings = await settingsOf(deps, { workspaceId, channel }, { ...nothing, ...given })
    const campaignId = recordIdOf(workspaceId, 'campaign', name)
    const { position } = await createRecord(deps, request, {
      decider: campaign,
      stream: campaignStream(workspaceId, campaignId),
      command: { type: 'ConfigureCampaign', data: { ...settings, campaignId, name, channel, status: 'draft' } },
      exists: (state) => state !== null,
      taken: 'campaign_name_taken',
    })
    await waitUntilVisible(deps, reply, { position, projections: ['campaigns'] })
    reply.code(201)
    return await campaignRecord(deps, await existingCampaign(deps, { workspaceId, campaignId }))
  })
}
