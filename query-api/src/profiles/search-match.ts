import { type ReadModels, soughtText, type WorkspaceQueries } from '@tidings/read-models'
import { type SelectQueryBuilder, sql } from 'kysely'
import { likePattern } from '../like-pattern.ts'
import type { ProfileFilter } from './profile-filter.ts'

type Matching = SelectQueryBuilder<ReadModels, 'profile_search', object>

/** Written as the trigram index of the table writes it, so that a search can use it. */
const coded = sql<string>`coalesce(code, text)`

/** Whether pg_trgm finds three characters to look for: letters and digits in a row, or two of them at the beginning or the end of a word. */
const HAS_TRIGRAM = /[a-z0-9]{3}|[^a-z0-9][a-z0-9]{2}|[a-z0-9]{2}[^a-z0-9]/i

/**
 * The rows of `profile_search` that a search finds. One or two letters are looked for in every row of the workspace: the index has none of
 * them, and would hand out all it has.
 */
const matching = (own: WorkspaceQueries, search: string): Matching => {
  const { text, code } = soughtText(search)
  const rows = own.profileSearch()
  if (!HAS_TRIGRAM.test(code ?? text)) return rows.where('text', 'like', likePattern(text))
  const found = rows.where(coded, 'like', likePattern(code ?? text))
  return code === null ? found : found.where('text', 'like', likePattern(text))
}

/** Of these, those that the filter leaves. */
export function matchingIn(own: WorkspaceQueries, search: string, filter: ProfileFilter): Matching {
  const found = matching(own, search)
  return filter.narrows ? found.where('id', 'in', filter.apply(own.profiles()).select('profiles.id')) : found
}
