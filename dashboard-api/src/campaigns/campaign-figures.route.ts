import { campaignFigures, type ShownCampaign } from '@tidings/administration'
import { CampaignFigures, CampaignParams } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { existingCampaign } from './campaigns.ts'

const schema = {
  operationId: 'campaigns.figures',
  summary: 'What became of a campaign',
  tags: ['campaigns'],
  params: CampaignParams,
  response: { 200: CampaignFigures },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['campaign_not_found'] } as const

/** What `campaign show` prints. */
export function campaignFiguresRoute(app: App, { log, reads }: Pick<DashboardDependencies, 'log' | 'reads'>): void {
  app.get('/campaigns/:id/figures', { schema, config }, async ({ tenant: { workspaceId }, params: { id } }) => {
    const {
      id: _,
      name: __,
      variants,
      ...figures
    } = await campaignFigures(reads, await existingCampaign({ log }, { workspaceId, campaignId: id }))
    return { ...withReasons(figures), variants: variants.map(withReasons) }
  })
}

const OUTCOMES = ['skipped', 'suppressed', 'failed'] as const

type ByReason = Pick<ShownCampaign, (typeof OUTCOMES)[number]>

/** Rows say what was not sent, the most first. */
const withReasons = <Figures extends ByReason>({ skipped, suppressed, failed, ...counts }: Figures) => {
  const by: ByReason = { skipped, suppressed, failed }
  const rows = OUTCOMES.flatMap((outcome) => Object.entries(by[outcome]).map(([reason, messages]) => ({ outcome, reason, messages })))
  return { ...counts, notSent: rows.sort((one, other) => other.messages - one.messages) }
}
