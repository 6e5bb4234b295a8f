import { soughtText, type WorkspaceQueries } from '@tidings/read-models'
import { sql } from 'kysely'
import type { ProfileFilter } from './profile-filter.ts'
import type { ProfileOrder } from './profile-order.ts'
import { holds, matchingIn } from './search-match.ts'

export type Searched = Readonly<{
  search: string
  filter: ProfileFilter
  order: ProfileOrder
  window: Readonly<{ limit: number; offset: number }>
}>

/** So many are read and put in order (25 ms of CPU); among more, those of a page are soon met in the order of all profiles. */
const FEW = 10_000
/** Profiles that are looked at in their order at least, and at most: 6 µs each. */
const [LEAST, MOST] = [1_000, 20_000]
/** How much longer than at an even spread it is looked for the rows of a page. */
const LONGER = 4

/** The ids of one page of a search that finds `total`, in their order. */
export async function searchPage(own: WorkspaceQueries, searched: Searched, total: number): Promise<readonly string[]> {
  const { offset, limit } = searched.window
  if (offset >= total) return []
  if (total > FEW && !searched.filter.narrows) {
    const walked = await walkedPage(own, searched, total)
    if (walked.length === Math.min(limit, total - offset)) return walked
  }
  return await sortedPage(own, searched)
}

const idsOf = (rows: readonly Readonly<{ id: string }>[]): readonly string[] => rows.map(({ id }) => id)

/** All that is found, put in order. When a profile was created stands beside its text; any other column is looked up for each. */
const sortedPage = async (own: WorkspaceQueries, { search, filter, order, window }: Searched): Promise<readonly string[]> => {
  const wanted = matchingIn(own, search, filter).select('id')
  const column = own
    .profiles()
    .select(order.column as 'email')
    .where(sql<boolean>`profiles.id = profile_search.id`)
  const ordered = wanted.orderBy(order.column === 'created_at' ? 'created_at' : column, order.direction).orderBy('id', order.direction)
  return idsOf(await ordered.limit(window.limit).offset(window.offset).execute())
}

/**
 * The first of all profiles in the order, as many as should hold the page, and of these the ones that are found. Fewer than a page where those
 * that are found stand together further on.
 */
const walkedPage = async (own: WorkspaceQueries, { search, order, window }: Searched, total: number): Promise<readonly string[]> => {
  const wanted = window.offset + window.limit
  const looked = Math.max(LEAST, Math.ceil(((await own.profileTotal()) / total) * wanted * LONGER))
  if (looked > MOST) return []
  const ordered = own.profiles().orderBy(order.column, order.direction).orderBy('id', order.direction)
  const first = ordered.select('id').limit(looked)
  // As a condition and not as a join, which may be answered by finding all matches first.
  const isFound = own
    .profileSearch()
    .select(holds(soughtText(search)).as('found'))
    .where(sql<boolean>`profile_search.id = profiles.id`)
  const page = ordered.select('profiles.id').where('profiles.id', 'in', first).where(sql<boolean>`(${isFound})`)
  return idsOf(await page.limit(window.limit).offset(window.offset).execute())
}
