import type { ContactId, FrequencyCap, MessageChannel, MessageId, WorkspaceId } from '@tidings/domain'
import type { ClientBase, Pool } from 'pg'

/** A message, and whose lane it is in: one message of a contact's channel is judged at a time. */
export type CountedMessage = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; channel: MessageChannel; messageId: MessageId }>

/** The longest window of a cap, in days: what is older is deleted. */
const LONGEST_WINDOW_DAYS = 90

const OTHERS = `select count(*) < $5::int as fits from (
  select from ops.marketing_message where workspace_id = $1 and contact_id = $2 and channel = $3 and message_id <> $4
    and passed_at > clock_timestamp() - $6::int * interval '1 day' limit $5::int) others`

const NO_CAP: FrequencyCap = { messages: 2_147_483_647, days: 0 }

const values = ({ workspaceId, contactId, channel, messageId }: CountedMessage, { messages, days }: FrequencyCap) =>
  [workspaceId, contactId, channel, messageId, messages, days] as const

/** Whether the message is within the cap, were it sent now. */
export async function isWithinCap(pool: Pool, message: CountedMessage, cap: FrequencyCap | null): Promise<boolean> {
  if (cap === null) return true
  const { rows } = await pool.query<{ fits: boolean }>({ name: 'marketing-fits', text: OTHERS, values: [...values(message, cap)] })
  return rows[0]?.fits === true
}

/** Counts the message if it is within the cap, and answers whether it is. Counted once, however often it is tried. */
export async function countWithinCap(pool: Pool, message: CountedMessage, cap: FrequencyCap | null): Promise<boolean> {
  const { rows } = await pool.query<{ fits: boolean }>({
    name: 'marketing-count',
    text: `with capped as (${OTHERS}), counted as (
      insert into ops.marketing_message (workspace_id, contact_id, channel, message_id) select $1, $2, $3, $4 from capped where fits
      on conflict do nothing)
    select fits from capped`,
    values: [...values(message, cap ?? NO_CAP)],
  })
  return rows[0]?.fits === true
}

/** Takes back messages that were not sent after all (D13). */
export async function uncount(tx: ClientBase, messages: readonly CountedMessage[]): Promise<void> {
  if (messages.length === 0) return
  await tx.query({
    name: 'marketing-uncount',
    text: `delete from ops.marketing_message m using unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[]) n(workspace_id, contact_id, channel, message_id)
      where m.workspace_id = n.workspace_id and m.contact_id = n.contact_id and m.channel = n.channel and m.message_id = n.message_id`,
    values: [
      messages.map(({ workspaceId }) => workspaceId),
      messages.map(({ contactId }) => contactId),
      messages.map(({ channel }) => channel),
      messages.map(({ messageId }) => messageId),
    ],
  })
}

/** Deletes what no window reaches any more; at most `limit` a call, answers how many. */
export async function forgetCounted(pool: Pool, limit: number): Promise<number> {
  const deleted = await pool.query(
    `delete from ops.marketing_message where ctid = any (array(
       select ctid from ops.marketing_message where passed_at < now() - $1::int * interval '1 day' limit $2))`,
    [LONGEST_WINDOW_DAYS, limit],
  )
  return deleted.rowCount ?? 0
}
