import { waitUntilVisible } from '@tidings/administration'
import { Campaign, CampaignParams, ConfigureCampaignBody } from '@tidings/contracts'
import type { ConfigureCampaign } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { campaignRecord, editableCampaign, existingCampaign } from './campaigns.ts'
import { SETTING_REFUSALS, settingsOf } from './settings.ts'

const schema = {
  operationId: 'campaigns.configure',
  summary: 'Give a campaign other settings',
  tags: ['campaigns'],
  params: CampaignParams,
  body: ConfigureCampaignBody,
  response: { 200: Campaign },
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  edits: true,
  refusals: ['campaign_not_found', ...SETTING_REFUSALS],
} as const

/** What is sent was fixed at the start: a campaign that is being sent has other settings then, and sends what it sent. */
export function configureCampaign(app: App, deps: DashboardDependencies): void {
  app.put('/campaigns/:id', { schema, config }, async (request, reply) => {
    const of = { workspaceId: request.tenant.workspaceId, campaignId: request.params.id }
    const { name, state } = await existingCampaign(deps, of)
    const { channel } = state
    const shownVariants = state.settings.split.length > 0 ? 1 : state.settings.variants
    const settings = await settingsOf(deps, { ...of, channel, shownVariants }, request.body)
    const { position } = await saveRecord(deps, request, {
      editable: editableCampaign(of),
      commandFor: (): ConfigureCampaign => ({
        type: 'ConfigureCampaign',
        data: { ...settings, campaignId: of.campaignId, name, channel, status: 'draft' },
      }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['campaigns'] })
    return await campaignRecord(deps, await existingCampaign(deps, of))
  })
}
