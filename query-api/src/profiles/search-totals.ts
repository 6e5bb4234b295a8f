import { MOST_NEW, onlyCame, type ProfilesStand, soughtText, type WorkspaceId, type WorkspaceQueries } from '@tidings/read-models'
import { remembered } from '../remembered.ts'
import type { ProfileFilter } from './profile-filter.ts'
import { containsText, matchingIn } from './search-match.ts'

type Counted = Readonly<{ found: number; stand: ProfilesStand }>
type SearchTotalRequest = Readonly<{ workspaceId: WorkspaceId; filter: ProfileFilter; search: string }>

/** Counts the profiles that a search finds: exact, whatever is remembered. */
export type SearchTotals = (own: WorkspaceQueries, asked: SearchTotalRequest) => Promise<number>

/** Some 400 bytes each. */
const SEARCHES = { workspaces: 500, each: 100 }

/**
 * Counting a quarter of a million takes a fifth of a second, and each page of a search needs it. So a count is remembered with how the profiles stood,
 * as the same statement saw it. Those that were created since are looked at alone (2 ms), and added. After a change of what a search looks
 * through, or an erasure, all are counted again.
 */
export function searchTotals(): SearchTotals {
  const memory = remembered<Counted>(SEARCHES)
  return async (own, { workspaceId, filter, search }) => {
    if (filter.narrows) return (await count(own, filter, search)).found
    const key = { workspaceId, name: search }
    const known = memory.get(key)
    const carriedOn = known && (await countedOn(own, known, search))
    const counted = carriedOn ?? (await count(own, filter, search))
    memory.set(key, counted, { isCarriedOn: carriedOn !== undefined })
    return counted.found
  }
}

const count = async (own: WorkspaceQueries, filter: ProfileFilter, search: string): Promise<Counted> => {
  const { found, ...stand } = await matchingIn(own, search, filter)
    .select(({ fn }) => [fn.countAll<bigint>().as('found'), ...own.profilesStand()])
    .executeTakeFirstOrThrow()
  return { found: Number(found), stand }
}

/** The number now, from the known one; undefined if nothing shows it. */
const countedOn = async (own: WorkspaceQueries, { found, stand }: Counted, search: string): Promise<Counted | undefined> => {
  const { written, more, ...now } = await own
    .searchWrittenSince(stand, MOST_NEW)
    .select(({ fn }) => [
      fn.countAll<bigint>().as('written'),
      fn
        .countAll<bigint>()
        .filterWhere(containsText(soughtText(search)))
        .as('more'),
      ...own.profilesStand(),
    ])
    .executeTakeFirstOrThrow()
  return onlyCame(stand, now, { written, atMost: MOST_NEW }) ? { found: found + Number(more), stand: now } : undefined
}
