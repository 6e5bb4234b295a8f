import { isToSend } from '@tidings/domain'
import { isSendChannel, messageLane, SEND_KINDS } from '@tidings/inbox'
import type { Sources } from '../sources.ts'
import type { KnownMessage } from './known-message.ts'

/** Why a message is not sent yet. `attempts`: those that failed for now; `dueAt`: the next; `reason`: in the words of the sending. */
export type Waiting = Readonly<{ attempts: number; dueAt: string | null; reason: string | null; deadLetter: string | null }>

/** The job of a message that is to be sent, or its dead letter; null where there is none. Nothing of it is personal. */
export async function readWaiting({ pool }: Sources, { workspaceId, accepted, state }: KnownMessage): Promise<Waiting | null> {
  const { contactId, channel } = accepted.data
  if (!isToSend(state) || contactId === null || !isSendChannel(channel)) return null
  const kinds = Object.values(SEND_KINDS[channel])
  const { rows } = await pool.query<Readonly<{ attempts: number; dueAt: Date | null; reason: string | null; deadLetter: string | null }>>(
    `select attempt as attempts, due_at as "dueAt", last_error as reason, null as "deadLetter" from inbox.job
     where kind = any ($1::text[]) and lane = hashtextextended($2, 0) and seq = $3 and workspace_id = $4
     union all
     select attempts, null, error, id::text from ops.dead_letter
     where consumer = any ($1::text[]) and reference = hashtextextended($2, 0) || '/' || $3::text and workspace_id = $4 and state = 'open'`,
    [kinds, messageLane(contactId, channel), accepted.position.commit, workspaceId],
  )
  const [row] = rows
  return row === undefined ? null : { ...row, dueAt: row.dueAt?.toISOString() ?? null }
}
