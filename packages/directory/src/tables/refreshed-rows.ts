import { createBatchLoader } from '@tidings/async'
import { comparePositions, type Position } from '@tidings/event-store'
import type { LoadedRows } from '@tidings/log-views'

export type RefreshedOptions<T> = Readonly<{
  load: (keys: readonly string[]) => Promise<LoadedRows<T>>
  /** Monotonic milliseconds. */
  now?: () => number
  max?: number
}>

export type RefreshedRows<T> = Readonly<{
  /** The row, or null: at once when it was read or checked within a second, else from the database. */
  get: (key: string) => T | null | Promise<T | null>
  /** Reads everything that is in use once more. Rejects when the database does not answer; the cached rows then grow too old to be used. */
  refresh: () => Promise<void>
  /** Nothing older than this is answered from memory; null before the first `refresh`. */
  position: () => Position | null
}>

type CachedRow<T> = { readonly row: T; readonly position: Position; usedAt: number }

/** How long a row may be used after a check; a process counts as dead only after three times as long. */
export const CAUGHT_UP_MS = 1_000
/** A row that was not asked for in this long is dropped. */
const IN_USE_MS = 5_000
const MAX = 2_000
const KEYS_A_QUERY = 500

/**
 * Rows of a projection for a process that cannot follow the log: it reads all rows in use again, several times a second, in one
 * statement. So a change takes effect within the interval of the refreshes, and never after `CAUGHT_UP_MS`.
 */
export function createRefreshedRows<T>({ load, now = () => performance.now(), max = MAX }: RefreshedOptions<T>): RefreshedRows<T> {
  let cached = new Map<string, CachedRow<T>>()
  let checked: { position: Position; at: number } | null = null

  const isOlder = (position: Position): boolean => checked === null || comparePositions(position, checked.position) < 0

  const isNewerCached = (key: string, position: Position): boolean => {
    const entry = cached.get(key)
    return entry !== undefined && comparePositions(entry.position, position) > 0
  }

  const fetch = createBatchLoader<string, LoadedRows<T>, T | null>({
    load,
    maxKeys: KEYS_A_QUERY,
    pick: ({ rows, position }, key) => {
      const row = rows.get(key)
      if (row === undefined) return null
      // Read before the last refresh, or before a newer read that was answered first: right for the caller, too old to cache.
      if (!isOlder(position) && !isNewerCached(key, position) && cached.size < max) cached.set(key, { row, position, usedAt: now() })
      return row
    },
  })

  return {
    get: (key) => {
      const known = checked !== null && now() - checked.at < CAUGHT_UP_MS ? cached.get(key) : undefined
      if (known === undefined) return fetch(key)
      known.usedAt = now()
      return known.row
    },
    refresh: async () => {
      const at = now()
      const inUse = [...cached].filter(([, { usedAt }]) => at - usedAt < IN_USE_MS)
      const { rows, position } = await load(inUse.map(([key]) => key))
      const next = new Map<string, CachedRow<T>>()
      // A row that was fetched meanwhile stays when it is not older than this read.
      for (const [key, entry] of cached) if (comparePositions(entry.position, position) >= 0) next.set(key, entry)
      for (const [key, { usedAt }] of inUse) {
        const row = rows.get(key)
        if (row === undefined) next.delete(key)
        else if (!next.has(key)) next.set(key, { row, position, usedAt })
      }
      cached = next
      checked = { position, at }
    },
    position: () => checked?.position ?? null,
  }
}
