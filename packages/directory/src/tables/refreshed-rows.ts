import { comparePositions, type Position } from '@tidings/event-store'
import type { LoadedRows } from '@tidings/log-views'
import { batchedLoad } from '@tidings/postgres'

export type RefreshedOptions<T> = Readonly<{
  load: (keys: readonly string[]) => Promise<LoadedRows<T>>
  /** Monotonic milliseconds. */
  now?: () => number
  max?: number
}>

export type RefreshedRows<T> = Readonly<{
  /** The row, or null: at once when it was read or checked within a second, else from the database. */
  get: (key: string) => T | null | Promise<T | null>
  /** Reads everything that is in use once more. Rejects when the database does not answer; what is kept then grows too old to be used. */
  refresh: () => Promise<void>
  /** Nothing older than this is answered from memory; null before the first `refresh`. */
  position: () => Position | null
}>

type Kept<T> = { readonly row: T; readonly position: Position; usedAt: number }

/** How long what was checked may be used; a process is counted as dead only after three times as long. */
export const FRESH_MS = 1_000
/** What nobody asked for in this long is not kept up. */
const IN_USE_MS = 5_000
const MAX = 2_000
const KEYS_A_QUERY = 500

/**
 * Rows of a projection for a process that hears nothing of the log: it looks again at all rows in use, several times a second, in one
 * statement. So a change is obeyed within the interval of the refreshes, and never after `FRESH_MS`.
 */
export const refreshedRows = <T>({ load, now = () => performance.now(), max = MAX }: RefreshedOptions<T>): RefreshedRows<T> => {
  let kept = new Map<string, Kept<T>>()
  let checked: { position: Position; at: number } | null = null

  const isOlder = (position: Position): boolean => checked === null || comparePositions(position, checked.position) < 0

  const isNewerKept = (key: string, position: Position): boolean => {
    const entry = kept.get(key)
    return entry !== undefined && comparePositions(entry.position, position) > 0
  }

  const fetch = batchedLoad<string, LoadedRows<T>, T | null>({
    load,
    maxKeys: KEYS_A_QUERY,
    pick: ({ rows, position }, key) => {
      const row = rows.get(key)
      if (row === undefined) return null
      // Read before the last refresh looked, or before a newer read that was answered first: right for whoever asked, too old to keep.
      if (!isOlder(position) && !isNewerKept(key, position) && kept.size < max) kept.set(key, { row, position, usedAt: now() })
      return row
    },
  })

  return {
    get: (key) => {
      const known = checked !== null && now() - checked.at < FRESH_MS ? kept.get(key) : undefined
      if (known === undefined) return fetch(key)
      known.usedAt = now()
      return known.row
    },
    refresh: async () => {
      const at = now()
      const inUse = [...kept].filter(([, { usedAt }]) => at - usedAt < IN_USE_MS)
      const { rows, position } = await load(inUse.map(([key]) => key))
      const next = new Map<string, Kept<T>>()
      // What was fetched meanwhile stays when it is not older than this look.
      for (const [key, entry] of kept) if (comparePositions(entry.position, position) >= 0) next.set(key, entry)
      for (const [key, { usedAt }] of inUse) {
        const row = rows.get(key)
        if (row === undefined) next.delete(key)
        else if (!next.has(key)) next.set(key, { row, position, usedAt })
      }
      kept = next
      checked = { position, at }
    },
    position: () => checked?.position ?? null,
  }
}
