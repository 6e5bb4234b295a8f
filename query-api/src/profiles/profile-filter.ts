import type { ListProfilesQuery } from '@tidings/contracts'
import type { ReadModels, WorkspaceQueries } from '@tidings/read-models'
import { type SelectQueryBuilder, sql } from 'kysely'
import { likePattern } from '../like-pattern.ts'
import { folded } from './folded-names.ts'

type Rows = SelectQueryBuilder<ReadModels, 'profiles', object>

/** `total` is exact per request: the maintained counter where the filter is one that it counts; null where only what matches can tell. */
export type ProfileFilter = Readonly<{
  apply: (rows: Rows) => Rows
  total: ((own: WorkspaceQueries) => Promise<number>) | null
  /** Where all members of a list are wanted, and nothing else is. */
  listId: string | undefined
}>

const searching = (rows: Rows, search: string): Rows => {
  const pattern = likePattern(search)
  return rows.where((where) =>
    where.or([
      where('email', 'like', pattern.toLowerCase()),
      where('phone', 'like', pattern),
      where(folded.firstName, 'like', sql<string>`lower(${pattern})`),
      where(folded.lastName, 'like', sql<string>`lower(${pattern})`),
    ]),
  )
}

/** An unknown list has no members. Both tables begin their keys with the workspace, so another one's list has none here either. */
const membersOf = (rows: Rows, listId: string): Rows =>
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
export function profileFilter({ search, segmentId, consent, channel = 'email' }: ListProfilesQuery): ProfileFilter {
  const apply = (all: Rows): Rows => {
    const wanted = consent === undefined ? all : all.where(`${channel}_consent`, '=', consent)
    const found = search ? searching(wanted, search) : wanted
    return segmentId === undefined ? found : membersOf(found, segmentId)
  }
  if (search || (segmentId !== undefined && consent !== undefined)) return { apply, total: null, listId: undefined }
  if (segmentId !== undefined) return { apply, total: (own) => own.listTotal(segmentId), listId: segmentId }
  return { apply, total: (own) => own.profileTotal(consent === undefined ? 'all' : `${channel}:${consent}`), listId: undefined }
}
