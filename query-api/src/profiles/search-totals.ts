import type { WorkspaceQueries } from '@tidings/read-models'
import { LRUCache } from 'lru-cache'
import type { ProfileFilter } from './profile-filter.ts'
import { matchingIn } from './search-match.ts'

type Counted = Readonly<{ total: number; changes: string | null }>
type Asked = Readonly<{ workspaceId: string; filter: ProfileFilter; search: string }>

/** How many profiles a search finds: exact, whatever is remembered. */
export type SearchTotals = (own: WorkspaceQueries, asked: Asked) => Promise<number>

/** Some 300 bytes each. */
const REMEMBERED = 5_000
/** A bound for what no counter shows, as rows that an operator has changed by hand. */
const LIFETIME_MS = 10 * 60_000

/**
 * Counting a quarter of a million takes a tenth of a second and more, and each page of a search needs it. So a count is remembered with the
 * workspace's counter of changes to what a search finds, as the same statement saw it, and holds for as long as the counter stands there.
 */
export function searchTotals(): SearchTotals {
  const remembered = new LRUCache<string, Counted>({ max: REMEMBERED, ttl: LIFETIME_MS })
  return async (own, { workspaceId, filter, search }) => {
    if (filter.narrows) return (await count(own, filter, search)).total
    const key = `${workspaceId} ${search}`
    const known = remembered.get(key)
    if (known !== undefined && known.changes === (await own.profileChanges('searched'))) return known.total
    const counted = await count(own, filter, search)
    remembered.set(key, counted)
    return counted.total
  }
}

const count = async (own: WorkspaceQueries, filter: ProfileFilter, search: string): Promise<Counted> => {
  const { total, changes } = await matchingIn(own, search, filter)
    .select(({ fn }) => [fn.countAll<bigint>().as('total'), own.profileChangesQuery('searched').as('changes')])
    .executeTakeFirstOrThrow()
  return { total: Number(total), changes }
}
