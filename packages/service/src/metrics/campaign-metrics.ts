import { kyselyOn } from '@tidings/postgres'
import { campaignsUnderWay, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import { figureGauge } from './figure-gauge.ts'
import { sharedRead } from './shared-read.ts'

/** Campaigns that are being sent, and what of theirs waits. */
export function observeCampaigns(pool: Pool): void {
  const underWay = sharedRead(() => campaignsUnderWay(kyselyOn<ReadModels>(pool)))
  figureGauge('tidings_campaigns_sending', 'Campaigns that are being sent', async () => (await underWay()).sending)
  figureGauge('tidings_campaign_messages_queued', 'Messages of campaigns that wait to be sent', async () => (await underWay()).queued)
}
