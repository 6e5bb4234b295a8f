import type { Recorded } from '@tidings/codec'
import type { MembersEvent } from '@tidings/domain'
import type { Reading } from './reading.ts'

/** Who came to which list, or left it. Null where nobody knows the list. */
export const listData = async (
  { listName }: Reading,
  { data: { listId, contactId }, meta: { workspaceId, at } }: Recorded<MembersEvent>,
): Promise<Readonly<Record<string, unknown>> | null> => {
  const name = await listName(workspaceId, listId)
  return name === null ? null : { listId, listName: name, contactId, occurredAt: at }
}
