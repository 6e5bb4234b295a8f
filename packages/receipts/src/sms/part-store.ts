import { randomUUID } from 'node:crypto'
import type { MessageId, WorkspaceId } from '@tidings/domain'
import type { SubmittedSms } from '@tidings/providers'
import type { Pool } from 'pg'
import { normalizePartId } from './part-ids.ts'

/** A part of a message that was submitted. `provider`: the SMSC that gave the id. `submission`: one attempt to send it. */
export type SubmittedPart = Readonly<{
  partId: string
  provider: string
  submission: string
  workspaceId: WorkspaceId
  messageId: MessageId
}>

/** This is far more than collide. */
const MAX_CANDIDATES = 20

/** Stores which message the parts are of, so that the receipts of any process find it. An SMSC may give a part no id. */
export async function storeParts(pool: Pool, { workspaceId, messageId, partIds }: SubmittedSms, provider: string): Promise<void> {
  const ids = [...new Set(partIds.filter((id) => id !== '').map(normalizePartId))]
  if (ids.length === 0) return
  await pool.query({
    name: 'sms-parts-store',
    text: `insert into ops.sms_part (part_id, submission, workspace_id, message_id, provider) select id, $2, $3, $4, $5 from unnest($1::text[]) id`,
    values: [ids, randomUUID(), workspaceId, messageId, provider],
  })
}

/**
 * The parts that have one of the ids and whose receipts may still come, the newest first: those of that provider, else those of any, because an SMSC may
 * be configured under another name by then.
 */
export async function findParts(pool: Pool, ids: readonly string[], provider: string): Promise<readonly SubmittedPart[]> {
  const { rows } = await pool.query<SubmittedPart>({
    name: 'sms-parts-find',
    text: `select part_id as "partId", provider, submission, workspace_id as "workspaceId", message_id as "messageId"
      from ops.sms_part where part_id = any ($1) and at > now() - interval '7 days' order by (provider = $2) desc, at desc limit ${MAX_CANDIDATES}`,
    values: [ids, provider],
  })
  const own = rows.filter((row) => row.provider === provider)
  return own.length > 0 ? own : rows
}

/**
 * Marks a part as delivered; answers whether all parts of its submission are. Two statements, because parts that are marked at the same
 * time must see each other: the later commit does.
 */
export async function markDelivered(pool: Pool, { partId, submission }: SubmittedPart): Promise<boolean> {
  await pool.query({
    name: 'sms-parts-mark',
    text: 'update ops.sms_part set is_delivered = true where part_id = $1 and submission = $2 and not is_delivered',
    values: [partId, submission],
  })
  const { rows } = await pool.query<{ all: boolean }>({
    name: 'sms-parts-all',
    text: 'select bool_and(is_delivered) as "all" from ops.sms_part where submission = $1',
    values: [submission],
  })
  return rows[0]?.all ?? false
}

/** Deletes parts whose receipts are not expected any more; answers how many. SMSCs try for three days, some for seven. */
export async function deleteOldParts(pool: Pool, batch: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from ops.sms_part where ctid = any (array(
       select ctid from ops.sms_part where at < now() - interval '7 days' limit $1 for update skip locked))`,
    [batch],
  )
  return rowCount ?? 0
}
