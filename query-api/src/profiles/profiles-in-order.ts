import type { ListId, ProfileRow, WorkspaceQueries } from '@tidings/read-models'

type MembersPageRequest = Readonly<{ listId: ListId; direction: 'asc' | 'desc'; limit: number; offset: number }>

/** The profiles of these ids, in the order of the ids; one that is gone by now is left out. */
export async function profilesInOrder(own: WorkspaceQueries, ids: readonly string[]): Promise<readonly ProfileRow[]> {
  if (ids.length === 0) return []
  const profiles = await own.profiles().selectAll().where('id', 'in', ids).execute()
  const byId = new Map(profiles.map((profile) => [profile.id, profile]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** A page of a list's members in the order of their creation: a range of one index, and a look-up of each profile in it. */
export async function membersInOrder(
  own: WorkspaceQueries,
  { listId, direction, limit, offset }: MembersPageRequest,
): Promise<readonly ProfileRow[]> {
  const members = await own
    .listMembers()
    .select('contact_id')
    .where('list_id', '=', listId)
    .orderBy('contact_created_at', direction)
    .orderBy('contact_id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  return await profilesInOrder(
    own,
    members.map(({ contact_id }) => contact_id),
  )
}
