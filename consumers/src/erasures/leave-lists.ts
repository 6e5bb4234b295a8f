import { databaseNow } from '@tidings/async/clock'
import { uuidv7 } from '@tidings/codec'
import { bucketOf, members, membersStream } from '@tidings/domain'
import type { Erasing } from './erasing.ts'
import type { Person } from './person.ts'

/** The lists are few, and the primary key names the list before the contact. */
const LISTS = `select list_id as id from read.list_members
  where workspace_id = $1 and contact_id = $2 and list_id = any (array(select id from read.lists where workspace_id = $1))`

/** Takes the contact off every list that the read models show it on. */
export async function leaveLists(
  { pool, commands, now = databaseNow }: Pick<Erasing, 'pool' | 'commands' | 'now'>,
  { workspaceId, contactId }: Person,
): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(LISTS, [workspaceId, contactId])
  for (const { id: listId } of rows) {
    const commandId = uuidv7()
    await commands.execute({
      decider: members,
      stream: membersStream(workspaceId, listId, bucketOf(contactId)),
      command: { type: 'RemoveMembers', data: { listId, contactIds: [contactId], reason: 'erasure' } },
      context: { commandId, workspaceId, actor: 'pipeline', requestId: commandId, at: new Date(now()).toISOString() },
    })
  }
  return rows.length
}
