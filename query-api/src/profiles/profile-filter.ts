import { validEmail } from '@tidings/addresses'
import type { ListProfilesQuery } from '@tidings/contracts'
import type { ListId, ReadModels, WorkspaceQueries } from '@tidings/read-models'
import type { SelectQueryBuilder } from 'kysely'

type Rows = SelectQueryBuilder<ReadModels, 'profiles', object>

/** `total` is exact per request: the maintained counter where the filter is one that it counts; null where only what matches can tell. */
export type ProfileFilter = Readonly<{
  /** Everything but the search. */
  apply: (rows: Rows) => Rows
  total: ((own: WorkspaceQueries) => Promise<number>) | null
  /** The list, if all its members are wanted and nothing else. */
  listId: ListId | undefined
  search: string | undefined
  /** Whether `apply` leaves any out. */
  narrows: boolean
}>

/** An unknown list has no members. Both tables begin their keys with the workspace, so another one's list has none here either. */
const membersOf = (rows: Rows, listId: ListId): Rows =>
  rows.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('list_members')
        .select('list_members.contact_id')
        .whereRef('list_members.workspace_id', '=', 'profiles.workspace_id')
        .where('list_members.list_id', '=', listId)
        .whereRef('list_members.contact_id', '=', 'profiles.id'),
    ),
  )

/** The filters of the profile list. */
export function profileFilter({ search: typed, segmentId, consent, channel = 'email' }: ListProfilesQuery): ProfileFilter {
  const apply = (all: Rows): Rows => {
    const wanted = consent === undefined ? all : all.where(`${channel}_consent`, '=', consent)
    return segmentId === undefined ? wanted : membersOf(wanted, segmentId)
  }
  // A whole address is found in every spelling (M46).
  const search = typed && (validEmail(typed.trim()) ?? typed)
  const narrows = segmentId !== undefined || consent !== undefined
  if (search) return { apply, total: null, listId: undefined, search, narrows }
  const all = { apply, search: undefined, narrows }
  if (segmentId !== undefined && consent !== undefined) return { ...all, total: null, listId: undefined }
  if (segmentId !== undefined) return { ...all, total: (own) => own.listTotal(segmentId), listId: segmentId }
  const bucket = consent === undefined ? 'all' : (`${channel}:${consent}` as const)
  return { ...all, total: (own) => own.profileTotal(bucket), listId: undefined }
}
