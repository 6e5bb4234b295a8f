import { fairShare, unavailable } from '@tidings/http'
import {
  asContactId,
  isNotBuilt,
  type ListId,
  membersTimeline,
  type ProfileRow,
  profilesByKey,
  profilesTimeline,
  type ReadModels,
  type Timeline,
  type WorkspaceId,
  type WorkspaceQueries,
} from '@tidings/read-models'
import { type Kysely, sql } from 'kysely'
import { deepPages, FAR } from '../deep-pages.ts'
import type { ProfileFilter } from './profile-filter.ts'
import { folded, type ProfileOrder } from './profile-order.ts'
import { searchPage } from './search-page.ts'
import { searchTotals } from './search-totals.ts'

type ProfilePageRequest = Readonly<{ filter: ProfileFilter; order: ProfileOrder; window: Readonly<{ limit: number; offset: number }> }>
/** `isGone`: whether the client has left, so that a search that waits need not begin. */
type ProfilePageSource = Readonly<{ db: Kysely<ReadModels>; workspaceId: WorkspaceId; own: WorkspaceQueries; isGone: () => boolean }>

export type ProfilesFound = Readonly<{ items: readonly ProfileRow[]; total: number }>

/**
 * A list of so many is put in order by itself (5 000: 50-190 ms on a busy machine); members of a longer one
 * are soon met in the order of all profiles. Members of a short one may not be: without names they come last by name (1 200 ms).
 */
const FEW = 10_000
/** Searches of one workspace at a time. All workspaces together may have half of the pool. */
const SEARCHES = 2

/**
 * Reads each match, with the number of all matches beside it. Ordered by id, so that all are found in the order in which the table was filled: in that of an index
 * on what changes, 200 000 rows were fetched out of place (2 200 ms, else 400, on a busy machine).
 */
const TOTAL = sql<bigint>`count(*) over (order by id rows between unbounded preceding and unbounded following)`

/** Finds one page of profiles, and how many match in all. `poolSize`: of the connections that requests have. */
export function profilePages(poolSize: number): (of: ProfilePageSource, wanted: ProfilePageRequest) => Promise<ProfilesFound> {
  const [totals, deep, share] = [searchTotals(), deepPages(), fairShare({ each: SEARCHES, all: Math.max(1, Math.floor(poolSize / 2)) })]
  return async (of, wanted) => {
    const { own, workspaceId } = of
    const { filter, order, window } = wanted
    if (filter.search !== undefined) {
      const searched = { ...wanted, search: filter.search }
      const { ids, total } = await share(of, async () => {
        const total = await totals(own, { workspaceId, filter, search: searched.search })
        return { ids: await searchPage(own, searched, total), total }
      }).catch(refuseWhereMissing)
      return { items: await profilesInOrder(own, ids), total }
    }
    if (filter.total === null) return await share(of, () => countedPage(own, wanted))
    const timeline = window.offset < FAR ? undefined : profileTimeline(of, filter, order)
    if (timeline !== undefined) {
      const [ids, total] = await Promise.all([deep(timeline, order.direction, window), filter.total(own)])
      return { items: await profilesInOrder(own, ids), total }
    }
    if (filter.listId !== undefined && order.column !== 'created_at') return await membersPage(own, wanted, await filter.total(own))
    const [items, total] = await Promise.all([rowsOf(own, wanted), filter.total(own)])
    return { items, total }
  }
}

/** The tables of the version before serve while the first version with searches builds its own, and have none to search. */
const refuseWhereMissing = (error: unknown): never => {
  throw isNotBuilt(error) ? unavailable(10) : error
}

const membersPage = async (own: WorkspaceQueries, wanted: ProfilePageRequest, total: number): Promise<ProfilesFound> => {
  const { items } = total <= FEW ? await countedPage(own, wanted) : { items: await rowsOf(own, wanted) }
  return { items, total }
}

const inOrder = (own: WorkspaceQueries, { filter, order, window }: ProfilePageRequest) =>
  filter
    .apply(own.profiles())
    .orderBy(order.column, order.direction)
    .orderBy('id', order.direction)
    .limit(window.limit)
    .offset(window.offset)

const rowsOf = async (own: WorkspaceQueries, wanted: ProfilePageRequest): Promise<readonly ProfileRow[]> => {
  const { filter, order, window } = wanted
  if (filter.listId !== undefined && order.column === 'created_at')
    return await membersInOrder(own, { ...window, listId: filter.listId, direction: order.direction })
  if (window.offset < FAR) return await inOrder(own, wanted).selectAll().execute()
  // This reads the index alone, and its rows afterwards: 100 000 rows in, 45 ms instead of 600.
  const found = await inOrder(own, wanted).select('id').execute()
  return await profilesInOrder(
    own,
    found.map(({ id }) => id),
  )
}

/**
 * Everything that matches is found once, both to be counted and to be put in order: as two statements, a filter that matches little walked
 * through the whole workspace twice.
 */
const countedPage = async (own: WorkspaceQueries, wanted: ProfilePageRequest): Promise<ProfilesFound> => {
  const found = await inOrder(own, wanted)
    .select(['id', TOTAL.as('total')])
    .execute()
  const [first] = found
  if (first === undefined) return { items: [], total: wanted.window.offset === 0 ? 0 : await countOf(own, wanted.filter) }
  const items = await profilesInOrder(
    own,
    found.map(({ id }) => id),
  )
  return { items, total: Number(first.total) }
}

/** The total for a page past the end. */
const countOf = async (own: WorkspaceQueries, { apply }: ProfileFilter): Promise<number> => {
  const query = apply(own.profiles()).select(({ fn }) => fn.countAll<bigint>().as('total'))
  return Number((await query.executeTakeFirstOrThrow()).total)
}

type TimelineOwner = Readonly<{ db: Kysely<ReadModels>; workspaceId: WorkspaceId }>

const KEYS = [
  { name: 'email', column: 'email', key: sql<string | null>`email` },
  { name: 'first name', column: folded.firstName, key: folded.firstName },
  { name: 'last name', column: folded.lastName, key: folded.lastName },
] as const

/** The requested order as a timeline, in which a deep page is found from one seen before: not by `updatedAt`, which any event may change. */
export function profileTimeline(
  { db, workspaceId }: TimelineOwner,
  { listId, narrows }: ProfileFilter,
  { column }: ProfileOrder,
): Timeline | undefined {
  if (listId !== undefined) return column === 'created_at' ? membersTimeline(db, workspaceId, listId) : undefined
  if (narrows) return undefined
  if (column === 'created_at') return profilesTimeline(db, workspaceId)
  const known = KEYS.find((one) => one.column === column)
  return known === undefined ? undefined : profilesByKey(db, workspaceId, known)
}

type MembersPageRequest = Readonly<{ listId: ListId; direction: 'asc' | 'desc'; limit: number; offset: number }>

/** The profiles of these ids, in the order of the ids; one that is gone by now is left out. */
async function profilesInOrder(own: WorkspaceQueries, ids: readonly string[]): Promise<readonly ProfileRow[]> {
  if (ids.length === 0) return []
  const wanted = ids.map(asContactId)
  const profiles = await own.profiles().selectAll().where('id', 'in', wanted).execute()
  const byId = new Map(profiles.map((profile) => [profile.id, profile]))
  return wanted.flatMap((id) => byId.get(id) ?? [])
}

/** A page of a list's members in the order of their creation: a range of one index, and a look-up of each profile in it. */
async function membersInOrder(
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
