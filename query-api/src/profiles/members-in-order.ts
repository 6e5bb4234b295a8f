import type { ProfileRow, WorkspaceQueries } from '@tidings/read-models'

type Wanted = Readonly<{ listId: string; direction: 'asc' | 'desc'; limit: number; offset: number }>

/** A page of a list's members in the order of their creation: a range of one index, and a look-up of each profile in it. */
export const membersInOrder = async (
  own: WorkspaceQueries,
  { listId, direction, limit, offset }: Wanted,
): Promise<readonly ProfileRow[]> => {
  const members = await own
    .listMembers()
    .select('contact_id')
    .where('list_id', '=', listId)
    .orderBy('contact_created_at', direction)
    .orderBy('contact_id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  if (members.length === 0) return []
  const ids = members.map(({ contact_id }) => contact_id)
  const profiles = await own.profiles().selectAll().where('id', 'in', ids).execute()
  const byId = new Map(profiles.map((profile) => [profile.id, profile]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
