import { validEmail } from '@tidings/addresses'
import type { FilterProfilesQuery } from '@tidings/contracts'
import type { ListId, ReadModels, WorkspaceQueries } from '@tidings/read-models'
import { type SelectQueryBuilder, sql } from 'kysely'

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

/** Whether something of the contact is suppressed; `none` where nothing is. */
const blockedOn = (rows: Rows, on: NonNullable<FilterProfilesQuery['blocked']>): Rows => {
  if (on === 'email' || on === 'sms') return rows.where(`${on}_suppressed`, '=', true)
  if (on === 'none') return rows.where('email_suppressed', '=', false).where('sms_suppressed', '=', false)
  return rows.where((is) => is.or([is('email_suppressed', '=', true), is('sms_suppressed', '=', true)]))
}

/** The filters of the profile list. */
export function profileFilter({ search: typed, segmentId, consent, channel = 'email', tag, blocked }: FilterProfilesQuery): ProfileFilter {
  const apply = (all: Rows): Rows => {
    let wanted = consent === undefined ? all : all.where(`${channel}_consent`, '=', consent)
    if (tag) wanted = wanted.where(sql<boolean>`${tag} = any(profiles.tags)`)
    if (blocked !== undefined) wanted = blockedOn(wanted, blocked)
    return segmentId === undefined ? wanted : membersOf(wanted, segmentId)
  }
  // A whole address is found in every spelling (M46).
  const search = typed && (validEmail(typed.trim()) ?? typed)
  const isByFields = Boolean(tag) || blocked !== undefined
  const narrows = segmentId !== undefined || consent !== undefined || isByFields
  if (search) return { apply, total: null, listId: undefined, search, narrows }
  const all = { apply, search: undefined, narrows }
  if (isByFields || (segmentId !== undefined && consent !== undefined)) return { ...all, total: null, listId: undefined }
  if (segmentId !== undefined) return { ...all, total: (own) => own.listTotal(segmentId), listId: segmentId }
  const bucket = consent === undefined ? 'all' : (`${channel}:${consent}` as const)
  return { ...all, total: (own) => own.profileTotal(bucket), listId: undefined }
}
