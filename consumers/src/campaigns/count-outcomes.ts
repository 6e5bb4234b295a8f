import type { CampaignId } from '@tidings/domain'
import type { ClientBase, Pool } from 'pg'

/** The provider's answers to messages of a campaign: it accepted one, or refused so many. */
export type Counted = Readonly<{ campaignId: CampaignId; accepted: boolean; refused: number }>

/**
 * Notes the provider's answers to messages whose recipients are resolved, and wakes the campaigns that have no other recipient, and those whose first
 * message it accepted. If two consumers resolve the last two recipients at once, neither sees that none is left; a look every few seconds does.
 */
export async function countOutcomes(on: ClientBase | Pool, counted: readonly Counted[]): Promise<void> {
  if (counted.length === 0) return
  await on.query({
    name: 'campaign-outcomes',
    text: `with counted as (
        select r.campaign_id, c.accepted, c.refused,
          not exists (select from ops.campaign_recipient p where p.workspace_id = r.workspace_id and p.campaign_id = r.campaign_id) as over
        from ops.campaign_run r join unnest($1::uuid[], $2::boolean[], $3::int[]) c(campaign_id, accepted, refused) using (campaign_id)
        order by r.campaign_id for update of r)
      update ops.campaign_run r set accepted = r.accepted or c.accepted, refused = r.refused + c.refused,
        due_at = case when c.over or c.accepted and not r.accepted then '-infinity' else r.due_at end,
        wakes = r.wakes + (c.over or c.accepted and not r.accepted)::int
      from counted c where r.campaign_id = c.campaign_id and (c.over or c.refused > 0 or c.accepted and not r.accepted)`,
    values: [counted.map(({ campaignId }) => campaignId), counted.map(({ accepted }) => accepted), counted.map(({ refused }) => refused)],
  })
}
