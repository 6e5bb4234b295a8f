import { soughtText, type WorkspaceQueries } from '@tidings/read-models'
import { sql } from 'kysely'
import type { ProfileFilter } from './profile-filter.ts'
import type { ProfileOrder } from './profile-order.ts'
import { containsText, isIndexed, matchingIn } from './search-match.ts'

export type Searched = Readonly<{
  search: string
  filter: ProfileFilter
  order: ProfileOrder
  window: Readonly<{ limit: number; offset: number }>
}>

/** At most so many matches are read and sorted (25 ms of CPU); among more, those of a page are soon met in the order of all profiles. */
const FEW = 10_000
/** Profiles that are looked at in their order at least, and at most: 6 µs each. */
const [LEAST, MOST] = [1_000, 20_000]
/** The same where their texts lie in that order: half a microsecond each. */
const MOST_TEXTS = 100_000
/** The number of texts that are compared in the time in which one match of the index is read and sorted. */
const TEXTS = 6
/** The search for the rows of a page goes on for so many times the length that an even spread would take. */
const LONGER = 4

/** The ids of one page of a search that finds `total`, in their order. */
export async function searchPage(own: WorkspaceQueries, searched: Searched, total: number): Promise<readonly string[]> {
  const { offset, limit } = searched.window
  if (offset >= total) return []
  const walked = searched.filter.narrows ? [] : await walkedPage(own, searched, total)
  return walked.length === Math.min(limit, total - offset) ? walked : await sortedPage(own, searched)
}

const idsOf = (rows: readonly Readonly<{ id: string }>[]): readonly string[] => rows.map(({ id }) => id)

/** An expression, so that all that is found is put in order: an index in this order would be walked to its end for the few of a small page. */
const created = sql<Date>`created_at + interval '0'`

/** All that is found, put in order. When a profile was created stands beside its text; any other column is looked up for each. */
const sortedPage = async (own: WorkspaceQueries, { search, filter, order, window }: Searched): Promise<readonly string[]> => {
  const wanted = matchingIn(own, search, filter).select('id')
  const column = own
    .profiles()
    .select(order.column as 'email')
    .where(sql<boolean>`profiles.id = profile_search.id`)
  const ordered = wanted.orderBy(order.column === 'created_at' ? created : column, order.direction).orderBy('id', order.direction)
  return idsOf(await ordered.limit(window.limit).offset(window.offset).execute())
}

/**
 * The first of all profiles in the order, as many as should hold the page, and of these the ones that are found. Fewer than a page where those
 * that are found stand together further on; none where putting all in order costs less.
 */
const walkedPage = async (own: WorkspaceQueries, searched: Searched, total: number): Promise<readonly string[]> => {
  const { order, window } = searched
  const isCreated = order.column === 'created_at'
  if (!isCreated && total <= FEW) return []
  const looked = Math.max(LEAST, Math.ceil(((await own.profileTotal()) / total) * (window.offset + window.limit) * LONGER))
  if (looked > (isCreated ? mostTexts(searched, total) : MOST)) return []
  return idsOf(await (isCreated ? inTexts(own, searched, looked) : inProfiles(own, searched, looked)).execute())
}

const mostTexts = ({ search }: Searched, total: number): number =>
  isIndexed(soughtText(search)) ? Math.min(MOST_TEXTS, total * TEXTS) : MOST_TEXTS

const inTexts = (own: WorkspaceQueries, { search, order, window }: Searched, looked: number) =>
  own
    .firstSearched(order.direction, looked)
    .select('id')
    .where(containsText(soughtText(search)))
    .orderBy('created_at', order.direction)
    .orderBy('id', order.direction)
    .limit(window.limit)
    .offset(window.offset)

const inProfiles = (own: WorkspaceQueries, { search, order, window }: Searched, looked: number) => {
  const ordered = own.profiles().orderBy(order.column, order.direction).orderBy('id', order.direction)
  const first = ordered.select('id').limit(looked)
  // This is a condition and not a join, which Postgres may answer by finding all matches first.
  const isFound = own
    .profileSearch()
    .select(containsText(soughtText(search)).as('found'))
    .where(sql<boolean>`profile_search.id = profiles.id`)
  const page = ordered.select('profiles.id').where('profiles.id', 'in', first).where(sql<boolean>`(${isFound})`)
  return page.limit(window.limit).offset(window.offset)
}
