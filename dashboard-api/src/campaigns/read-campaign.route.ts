import { Campaign, CampaignParams } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { campaignRecord, existingCampaign } from './campaigns.ts'

const schema = {
  operationId: 'campaigns.get',
  summary: 'A campaign: its settings, and where it is in its life',
  tags: ['campaigns'],
  params: CampaignParams,
  response: { 200: Campaign },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['campaign_not_found'] } as const

export function readCampaign(app: App, deps: Pick<DashboardDependencies, 'log' | 'commands' | 'db'>): void {
  app.get('/campaigns/:id', { schema, config }, async ({ tenant: { workspaceId }, params: { id } }) =>
    campaignRecord(deps, await existingCampaign(deps, { workspaceId, campaignId: id })),
  )
}
