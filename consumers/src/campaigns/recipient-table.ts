import { type CampaignId, type ContactId, NIL_ID, type WorkspaceId } from '@tidings/domain'
import type { ClientBase, Pool } from 'pg'

type CampaignRef = Readonly<{ workspaceId: WorkspaceId; campaignId: CampaignId }>
export type Recipient = CampaignRef & Readonly<{ contactId: ContactId }>

/** Sorts before every contact. A row of it stands for the whole audience while that is taken or forgotten. */
export const NO_CONTACT = NIL_ID

/** Recipients without an outcome, in the order of their ids, after one. */
export async function recipientsAfter(
  pool: Pool,
  { workspaceId, campaignId }: CampaignRef,
  { after, limit }: Readonly<{ after: string; limit: number }>,
): Promise<readonly ContactId[]> {
  const { rows } = await pool.query<{ contact_id: ContactId }>({
    name: 'campaign-recipients',
    text: `select contact_id from ops.campaign_recipient where workspace_id = $1 and campaign_id = $2 and contact_id > $3
           order by contact_id limit $4`,
    values: [workspaceId, campaignId, after, limit],
  })
  return rows.map(({ contact_id }) => contact_id)
}

/** Deletes the rows of recipients that have an outcome, or will never have one. */
export async function resolve(on: Pool | ClientBase, recipients: readonly Recipient[]): Promise<void> {
  if (recipients.length === 0) return
  await on.query({
    name: 'campaign-resolve',
    text: 'select ops.resolve_recipients($1::uuid[], $2::uuid[], $3::uuid[])',
    values: [
      recipients.map(({ workspaceId }) => workspaceId),
      recipients.map(({ campaignId }) => campaignId),
      recipients.map(({ contactId }) => contactId),
    ],
  })
}

/**
 * Deletes at most `limit` recipients of a campaign that has ended, and returns how many; fewer only where no others are left. Locks them in the order in which
 * outcomes do. Waits for a process that has lost the campaign and still takes its audience.
 */
export async function forgetRecipients(pool: Pool, { workspaceId, campaignId }: CampaignRef, limit: number): Promise<number> {
  await pool.query('insert into ops.campaign_recipient values ($1, $2, $3) on conflict do nothing', [workspaceId, campaignId, NO_CONTACT])
  const { rowCount } = await pool.query(
    `delete from ops.campaign_recipient where ctid = any (array(
       select ctid from ops.campaign_recipient where workspace_id = $1 and campaign_id = $2 order by contact_id limit $3 for update))`,
    [workspaceId, campaignId, limit],
  )
  return rowCount ?? 0
}
