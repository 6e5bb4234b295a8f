import type { CampaignId } from '@tidings/domain'
import type { Pool } from 'pg'

/** The provider's answers to messages of a campaign: it accepted one, or refused so many. */
export type Counted = Readonly<{ campaignId: CampaignId; accepted: boolean; refused: number }>

/** The answers as the database takes them. */
export function countedColumns(counted: readonly Counted[]): readonly unknown[] {
  return [counted.map(({ campaignId }) => campaignId), counted.map(({ accepted }) => accepted), counted.map(({ refused }) => refused)]
}

/**
 * Notes the provider's answers to messages whose recipients are resolved, and wakes the campaigns that have no other recipient, and those whose first
 * message it accepted. If two processes resolve the last two recipients at once, neither sees that none is left; a look every few seconds does.
 */
export async function countOutcomes(pool: Pool, counted: readonly Counted[]): Promise<void> {
  await pool.query({
    name: 'campaign-outcomes',
    text: 'select ops.count_campaign_outcomes($1::uuid[], $2::boolean[], $3::int[])',
    values: [...countedColumns(counted)],
  })
}
