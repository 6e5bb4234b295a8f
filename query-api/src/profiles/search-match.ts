import { type ReadModels, type SoughtText, soughtText, type WorkspaceQueries } from '@tidings/read-models'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { likePattern } from '../like-pattern.ts'
import { withOneSigma } from '../one-sigma.ts'
import type { ProfileFilter } from './profile-filter.ts'

type Matching = SelectQueryBuilder<ReadModels, 'profile_search', object>

/** Written as the trigram index of the table writes it, so that a search can use it. */
const coded = sql<string>`coalesce(code, text)`

/** Whether pg_trgm finds three characters to look for: letters and digits in a row, or two of them at the beginning or the end of a word. */
const HAS_TRIGRAM = /[a-z0-9]{3}|[^a-z0-9][a-z0-9]{2}|[a-z0-9]{2}[^a-z0-9]/i

/** Whether the trigram index can find what is sought. */
export function isIndexed({ codes }: SoughtText): boolean {
  return codes.some((code) => HAS_TRIGRAM.test(code))
}

/**
 * The rows of `profile_search` that a search finds. One or two letters are looked for in every row of the workspace: the index has none of
 * them, and would hand out all it has.
 */
const matching = (own: WorkspaceQueries, search: string): Matching => {
  const sought = soughtText(search)
  const { text, codes } = sought
  const rows = own.profileSearch()
  if (!isIndexed(sought)) return rows.where(containsText(sought))
  const found = rows.where(coded, 'like', likePattern(...codes))
  return codes[0] === text ? found : found.where(containsText(sought))
}

const column = sql<string>`text`

/** Whether a row of `profile_search` contains what is sought. */
export function containsText({ text, codes }: SoughtText): RawBuilder<boolean> {
  return sql<boolean>`${codes.length === 1 ? column : withOneSigma(column)} like ${likePattern(text)}`
}

/** Profiles that match the search and the filter. */
export function matchingIn(own: WorkspaceQueries, search: string, filter: ProfileFilter): Matching {
  const found = matching(own, search)
  return filter.narrows ? found.where('id', 'in', filter.apply(own.profiles()).select('profiles.id')) : found
}
