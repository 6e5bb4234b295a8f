import { normalizeEmail } from '@tidings/addresses'
import type { MessageId, WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

type OutboxChannel = 'email' | 'sms' | 'voice' | 'push'

/** A message that would leave the machine. What its channel does not have is null. */
export type OutboxEntry = Readonly<{
  id: string
  workspaceId: WorkspaceId
  channel: OutboxChannel
  to: string
  from: string
  subject: string | null
  html: string | null
  text: string | null
  body: string | null
  headers: Readonly<Record<string, string>> | null
  messageId: MessageId | null
}>

/** A message that would have left the machine, and when. */
export type OutboxMessage = OutboxEntry & Readonly<{ at: Date }>

export type OutboxFilter = Readonly<{ channel?: OutboxChannel; to?: string }>

/** How many messages of a channel are kept. */
const KEPT = 1_000
/** Trimming at every batch would cost more than the inserts; this often, the table holds at most that many too many. */
const TRIM_EVERY = 500

const COLUMNS = `id, workspace_id as "workspaceId", channel, recipient as "to", sender as "from", subject, html, text, body, headers,
  message_id as "messageId", at`

/** Newest first, the last 1 000 of a channel. */
export async function listOutbox(pool: Pool, filter: OutboxFilter = {}): Promise<readonly OutboxMessage[]> {
  const { rows } = await pool.query<OutboxMessage>(
    `select ${COLUMNS} from outbox.message
     where ($1::text is null or channel = $1) and ($2::text is null or lower(recipient) = lower($2)) order by seq desc limit $3`,
    [filter.channel ?? null, filter.to === undefined ? null : spelled(filter.to), KEPT],
  )
  return rows
}

/** An address in its one form (M46); a number as it is. */
const spelled = (to: string): string => (to.includes('@') ? normalizeEmail(to) : to)

export async function findInOutbox(pool: Pool, id: string): Promise<OutboxMessage | null> {
  const { rows } = await pool.query<OutboxMessage>(`select ${COLUMNS} from outbox.message where id = $1`, [id])
  return rows[0] ?? null
}

/** Empties the outbox; answers how many there were. */
export async function deleteFromOutbox(pool: Pool): Promise<number> {
  return (await pool.query('delete from outbox.message')).rowCount ?? 0
}

/** Takes out what a workspace sent to these; answers how many. */
export async function deleteRecipients(pool: Pool, workspaceId: WorkspaceId, recipients: readonly string[]): Promise<number> {
  const text = 'delete from outbox.message where workspace_id = $1 and lower(recipient) = any (select lower(r) from unnest($2::text[]) r)'
  return (await pool.query(text, [workspaceId, recipients])).rowCount ?? 0
}

/** Writes a batch in one statement, and now and then deletes what is beyond the last 1 000 of a channel. */
export function outboxWriter(pool: Pool): (entries: readonly OutboxEntry[]) => Promise<void> {
  let sinceTrim = 0
  return async (entries) => {
    const column = <Key extends keyof OutboxEntry>(key: Key) => entries.map((entry) => entry[key])
    await pool.query({
      name: 'outbox-insert',
      text: `insert into outbox.message (id, workspace_id, channel, recipient, sender, subject, html, text, body, headers, message_id)
        select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
          $10::jsonb[], $11::uuid[])`,
      values: [
        column('id'),
        column('workspaceId'),
        column('channel'),
        column('to'),
        column('from'),
        column('subject'),
        column('html'),
        column('text'),
        column('body'),
        entries.map(({ headers }) => (headers === null ? null : JSON.stringify(headers))),
        column('messageId'),
      ],
    })
    sinceTrim += entries.length
    if (sinceTrim < TRIM_EVERY) return
    sinceTrim = 0
    await pool.query(
      `delete from outbox.message m using (
         select c.channel, (select k.seq from outbox.message k where k.channel = c.channel order by k.seq desc offset $1 limit 1) as oldest
         from (values ('email'), ('sms'), ('voice'), ('push')) c(channel)) t
       where m.channel = t.channel and m.seq < t.oldest`,
      [KEPT - 1],
    )
  }
}
