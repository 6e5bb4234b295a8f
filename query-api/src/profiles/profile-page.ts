import { unavailable } from '@tidings/http'
import type { ProfileRow, ReadModels, WorkspaceId, WorkspaceQueries } from '@tidings/read-models'
import { type Kysely, sql } from 'kysely'
import { deepPages, FAR } from '../deep-pages.ts'
import { fairShare } from '../fair-share.ts'
import type { ProfileFilter } from './profile-filter.ts'
import type { ProfileOrder } from './profile-order.ts'
import { profileTimeline } from './profile-timeline.ts'
import { membersInOrder, profilesInOrder } from './profiles-in-order.ts'
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
    if (filter.total === null) return await countedPage(own, wanted)
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

const UNDEFINED_TABLE = '42P01'

/** The tables of the version before serve while the first version with searches builds its own, and have none to search. */
const refuseWhereMissing = (error: unknown): never => {
  throw (error as { code?: unknown }).code === UNDEFINED_TABLE ? unavailable(10) : error
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
