import type { ContactId, FlowId, MessageId, WorkspaceId } from '@tidings/domain'
import type { ClientBase, Pool } from 'pg'
import type { RunRef } from './flow-kinds.ts'

/** Writes the row before the message is accepted: its outcome finds the run by this row. */
export async function rememberMessage(pool: Pool, messageId: MessageId, { workspaceId, flowId, contactId }: RunRef): Promise<void> {
  await pool.query(
    'insert into ops.flow_message (message_id, workspace_id, flow_id, contact_id) values ($1, $2, $3, $4) on conflict (message_id) do nothing',
    [messageId, workspaceId, flowId, contactId],
  )
}

/**
 * The same, with what remembers them: for the transaction that admits their runs. A row that waited for its run would stay where that is over by
 * then, as an erased person's is.
 */
export async function takeRunsOfMessages(tx: ClientBase, messageIds: readonly MessageId[]): Promise<ReadonlyMap<string, RunRef>> {
  if (messageIds.length === 0) return new Map()
  return byMessage(
    await tx.query<FlowMessageRow>({
      name: 'take-runs-of-messages',
      text: 'delete from ops.flow_message where message_id = any ($1::uuid[]) returning message_id, workspace_id, flow_id, contact_id',
      values: [messageIds],
    }),
  )
}

/** Deletes the row once nothing of the message is queued. */
export async function forgetMessage(pool: Pool, messageId: MessageId): Promise<void> {
  await pool.query('delete from ops.flow_message where message_id = $1', [messageId])
}

type FlowMessageRow = Readonly<{ message_id: MessageId; workspace_id: WorkspaceId; flow_id: FlowId; contact_id: ContactId }>

/** The runs that wait for these messages, by message. */
export async function runsOfMessages(on: ClientBase | Pool, messageIds: readonly MessageId[]): Promise<ReadonlyMap<string, RunRef>> {
  if (messageIds.length === 0) return new Map()
  return byMessage(
    await on.query<FlowMessageRow>({
      name: 'runs-of-messages',
      text: 'select message_id, workspace_id, flow_id, contact_id from ops.flow_message where message_id = any ($1::uuid[])',
      values: [messageIds],
    }),
  )
}

const byMessage = ({ rows }: Readonly<{ rows: readonly FlowMessageRow[] }>): ReadonlyMap<string, RunRef> =>
  new Map(rows.map((row) => [row.message_id, { workspaceId: row.workspace_id, flowId: row.flow_id, contactId: row.contact_id }]))
