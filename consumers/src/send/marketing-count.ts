import { createBatchLoader, weakMemo } from '@tidings/async'
import type { ContactId, FrequencyCap, MessageChannel, MessageId, WorkspaceId } from '@tidings/domain'
import type { ClientBase, Pool } from 'pg'

/** A message, and whose lane it is in: one message of a contact's channel is judged at a time. */
export type CountedMessage = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; channel: MessageChannel; messageId: MessageId }>

/** The longest window of a cap, in days: what is older is deleted. */
const LONGEST_WINDOW_DAYS = 90

const NO_CAP: FrequencyCap = { messages: 2_147_483_647, days: 0 }

const MAX_JUDGED = 256

type Judging = Readonly<{ message: CountedMessage; cap: FrequencyCap; counts: boolean }>

const judgeAll = async (pool: Pool, all: readonly Judging[]): Promise<ReadonlyMap<Judging, boolean>> => {
  const { rows } = await pool.query<{ fits: readonly boolean[] }>({
    name: 'marketing-count',
    text: 'select ops.count_marketing($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::int[], $6::int[], $7::boolean[]) as fits',
    values: [
      all.map(({ message }) => message.workspaceId),
      all.map(({ message }) => message.contactId),
      all.map(({ message }) => message.channel),
      all.map(({ message }) => message.messageId),
      all.map(({ cap }) => cap.messages),
      all.map(({ cap }) => cap.days),
      all.map(({ counts }) => counts),
    ],
  })
  return new Map(all.map((one, n) => [one, rows[0]?.fits[n] === true]))
}

/** Messages that are judged in one turn of the event loop share a statement and its commit. */
const judge = weakMemo((pool: Pool) =>
  createBatchLoader({
    load: (all: readonly Judging[]) => judgeAll(pool, all),
    pick: (fits, one) => fits.get(one) === true,
    maxKeys: MAX_JUDGED,
  }),
)

/** Whether the message is within the cap, were it sent now. */
export async function isWithinCap(pool: Pool, message: CountedMessage, cap: FrequencyCap | null): Promise<boolean> {
  return cap === null || (await judge(pool)({ message, cap, counts: false }))
}

/** Counts the message if it is within the cap, and answers whether it is. Counted once, however often it is tried. */
export function countWithinCap(pool: Pool, message: CountedMessage, cap: FrequencyCap | null): Promise<boolean> {
  return judge(pool)({ message, cap: cap ?? NO_CAP, counts: true })
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
